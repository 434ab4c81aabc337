/*
 * Runs files in worker processes. A worker that is silent for too long is killed and its file counts as hung; a worker
 * that dies is replaced and its file counts as crashed. The rest of the batch returns to the queue.
 */
import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Minifier } from '../programs/minifiers.ts';
import type { FileOutcome } from './execution.ts';
import type { TestVariant } from './frontmatter.ts';
import type { Batch, Mode, WorkerReport } from './worker.ts';

const batchSize = 50;
const silenceTimeoutMs = 20_000;
/** Longer, since the first response includes loading the transform. */
const startTimeoutMs = 60_000;

/** Code in a context for one test is not worth optimizing: without optimization, runs take less than half the time. */
const YOUNG_GENERATION_FLAGS = [
  '--no-opt',
  '--no-maglev',
  '--always-sparkplug',
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
];

export type PoolOptions = {
  readonly suite: string;
  readonly mode: Mode;
  readonly jobs: number;
  /** The variant to run of scripts that have both. */
  readonly only?: TestVariant | undefined;
  /** Files are minified first. */
  readonly minifier?: Minifier | undefined;
  readonly onResult: (path: string, outcome: FileOutcome) => void;
};

export async function runFiles(paths: readonly string[], options: PoolOptions): Promise<void> {
  const queue = paths.toReversed();
  const runners = Array.from({ length: Math.min(options.jobs, Math.max(1, paths.length)) }, () =>
    drain(queue, options),
  );
  await Promise.all(runners);
}

async function drain(queue: string[], options: PoolOptions): Promise<void> {
  let child: ChildProcess | undefined;
  while (queue.length > 0) {
    child ??= fork(fileURLToPath(new URL('worker.ts', import.meta.url)), {
      execArgv: [
        '-C',
        'turntable-source',
        '--experimental-vm-modules',
        '--expose-gc',
        '--no-warnings',
        '--max-old-space-size=2048',
        ...(options.mode === 'interrupted' ? YOUNG_GENERATION_FLAGS : []),
      ],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const batch = queue.splice(Math.max(0, queue.length - batchSize)).toReversed();
    const { unfinished, alive } = await runBatch(child, batch, options);
    queue.push(...unfinished.toReversed());
    if (!alive) child = undefined;
  }
  child?.kill();
}

function runBatch(
  child: ChildProcess,
  batch: readonly string[],
  { suite, mode, only, minifier, onResult }: PoolOptions,
): Promise<{ unfinished: string[]; alive: boolean }> {
  const pending = new Set(batch);
  let current: string | undefined;
  let hung = false;
  return new Promise((done) => {
    const onSilence = (): void => {
      hung = true;
      child.kill('SIGKILL');
    };
    let timer = setTimeout(onSilence, startTimeoutMs);
    const finish = (alive: boolean): void => {
      clearTimeout(timer);
      child.off('message', onMessage);
      child.off('exit', onExit);
      done({ unfinished: [...pending], alive });
    };
    const onExit = (): void => {
      if (current !== undefined && pending.delete(current)) {
        const reason = hung ? 'timeout' : 'crash';
        onResult(current, {
          failure: { variant: '', reason, detail: `the process ${hung ? 'hung' : 'died'}` },
          refused: undefined,
        });
      } else if (pending.size === batch.length) {
        throw new Error('a test262 worker died before its first file; its error is above');
      }
      finish(false);
    };
    const onMessage = (message: WorkerReport): void => {
      clearTimeout(timer);
      timer = setTimeout(onSilence, silenceTimeoutMs);
      if (message.kind === 'start') {
        current = message.path;
      } else if (message.kind === 'end') {
        current = undefined;
        pending.delete(message.path);
        onResult(message.path, message.outcome);
      } else if (message.tired) {
        child.kill();
        finish(false);
      } else {
        finish(true);
      }
    };
    child.on('message', onMessage);
    child.on('exit', onExit);
    child.send({ suite, mode, paths: batch, only, minifier } satisfies Batch);
  });
}
