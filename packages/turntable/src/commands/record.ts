// `turntable record FILE`: runs a program with the settings that make the run replayable.
import { basename } from 'node:path';
import { indexOfFile, run } from './run.ts';

export const RECORD_USAGE = `Usage: turntable record [settings] [flags of Node] FILE [arguments…]

Run a program and record it, in recordings/ unless --recordings says otherwise.
turntable --help lists all settings.

  --later           record from app.record() to app.endRecording();
                    --later=SIGUSR2: from one such signal to the next
  --snapshots WHEN  take snapshots, from which a replay can start: every=30s,
                    work=250ms, turns=100000, requests=1000, trace=64MB,
                    signal=SIGUSR2, end
  --keep LIMITS     limits of the recording: count=20, age=1d, bytes=2GB;
                    failed: keep the recording only if the program fails
  --key FILE        seal the recording with the key in FILE

  turntable record app.ts
  turntable record --snapshots every=30s,end --keep failed,age=5m app.ts
  turntable record --later=SIGUSR2 app.ts
  turntable record -- node --stack-trace-limit=50 app.ts`;

export function record(args: readonly string[]): Promise<number> {
  const fileIndex = indexOfFile(args);
  const file = args[fileIndex];
  // Whole Node commands are also accepted: `turntable record -- node --flag app.ts`.
  const isNode = file !== undefined && /^node(?:\.exe)?$/.test(basename(file));
  const ownFlags = args.slice(0, fileIndex).filter((flag) => flag !== '--');
  return run(isNode ? [...ownFlags, ...args.slice(fileIndex + 1)] : args, {
    name: 'record',
    defaults: { TURNTABLE_TRACE: '1' },
  });
}
