// `turntable record FILE`: runs a program with the settings that make the run replayable.
import { basename } from 'node:path';
import { RECORD } from '../command-line/record-commands.ts';
import { indexOfFile, run } from './run.ts';

export function record(args: readonly string[]): Promise<number> {
  const fileIndex = indexOfFile(args);
  const file = args[fileIndex];
  // Whole Node commands are also accepted: `turntable record -- node --flag app.ts`.
  const isNode = file !== undefined && /^node(?:\.exe)?$/.test(basename(file));
  const ownFlags = args.slice(0, fileIndex).filter((flag) => flag !== '--');
  return run(isNode ? [...ownFlags, ...args.slice(fileIndex + 1)] : args, {
    command: RECORD,
    defaults: { TURNTABLE_TRACE: '1' },
  });
}
