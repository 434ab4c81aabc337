// A thread of the test's program with its files: its trace, and the messages that its actors have received, which are
// written when it ends.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ReplayTape } from '../../src/trace/replay-tape.ts';
import { createTestThread } from './test-thread.ts';
import { LineSink, sourceOf } from './trace-files.ts';

export interface TracedThreadOptions {
  readonly directory: string;
  readonly isReplay: boolean;
  readonly worker: number;
  readonly epoch: number;
}

export function createTracedThread({ directory, isReplay, worker, epoch }: TracedThreadOptions) {
  const sink = isReplay ? undefined : new LineSink(directory, worker, epoch);
  const thread = createTestThread(
    worker,
    sink === undefined ? { source: sourceOf(directory, worker, epoch) } : { sink },
  );
  const writeLog = (): void => {
    const file = join(directory, `${worker}.${epoch}.${isReplay ? 'again' : 'first'}.log`);
    writeFileSync(file, JSON.stringify(thread.readLogs()));
  };
  if (thread.tape instanceof ReplayTape) thread.tape.onHalt(writeLog);
  else process.on('exit', writeLog);
  return { ...thread, sink };
}
