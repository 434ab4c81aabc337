// `turntable record FILE`: `run` with the settings that make the run replayable.
import { basename } from 'node:path';
import { indexOfFile, run } from './run.ts';

export const RECORD_USAGE = `Usage: turntable record [settings] [flags of Node] FILE [arguments…]

Runs a program and records it with traces, in recordings/ unless --recordings says where: the run can be had again. turntable --help lists the settings.
  --later           from app.record() on, to app.endRecording(); --later=SIGUSR2: from such a signal on, to the next one
  --snapshots WHEN  with snapshots to begin a replay with: every=30s,work=250ms,turns=100000,requests=1000,trace=64MB,signal=SIGUSR2,end
  --keep LIMITS     not all of it: count=20,age=1d,bytes=2GB; failed: only if the program does not end well
  --key FILE        sealed with the key in that file

  turntable record app.ts
  turntable record --snapshots every=30s,end --keep failed,age=5m app.ts
  turntable record --later=SIGUSR2 app.ts
  turntable record -- node --stack-trace-limit=50 app.ts`;

export function record(args: readonly string[]): Promise<number> {
  const fileIndex = indexOfFile(args);
  const file = args[fileIndex];
  // Also accepts a whole Node command: `turntable record -- node --flag app.ts`.
  const isNode = file !== undefined && /^node(?:\.exe)?$/.test(basename(file));
  const ownFlags = args.slice(0, fileIndex).filter((flag) => flag !== '--');
  return run(isNode ? [...ownFlags, ...args.slice(fileIndex + 1)] : args, {
    name: 'record',
    defaults: { TURNTABLE_TRACE: '1' },
  });
}
