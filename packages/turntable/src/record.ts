// `turntable record FILE`: `run` with all that is needed to have the run again.
import { basename } from 'node:path';
import { indexOfFile, run } from './run.ts';

export function record(args: readonly string[]): Promise<number> | number {
  const at = indexOfFile(args);
  const file = args[at];
  // As one would start it otherwise: `turntable record -- node --flag app.ts`.
  const isNode = file !== undefined && /^node(?:\.exe)?$/.test(basename(file));
  const own = args.slice(0, at).filter((flag) => flag !== '--');
  return run(isNode ? [...own, ...args.slice(at + 1)] : args, { name: 'record', more: { TURNTABLE_TRACE: '1' } });
}
