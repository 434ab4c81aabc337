// Observes the child processes of a test worker: their exit codes and signals, whether the test itself sent the signal,
// and their output. Tests see the same children and streams as without it.
import childProcess, { type ChildProcess, type SpawnSyncReturns } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { syncBuiltinESMExports } from 'node:module';
import type { Readable } from 'node:stream';
import type { ChildReport, Observed, OutputReport } from './report.ts';

/** Characters that are kept of one stream of a child: the first piece and the last ones. */
const MAX_OUTPUT = 1 << 20;
/** Pieces that follow each other are joined up to this length, so that a text is seldom cut in two. */
const MAX_PIECE = MAX_OUTPUT / 4;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface ObserverDeps {
  /** Ids of the tests that are running. */
  readonly running: ReadonlySet<string>;
  /** Called after each child that has ended. */
  ended(): void;
}

/** Starts observing; returns a function that reports the children and output up to now. */
export function observeChildren({ running, ended }: ObserverDeps): () => Observed {
  const children: ChildReport[] = [];
  const streams: OutputPieces[] = [];
  const signalled = observeKill();
  const streamOf = (source: string): OutputPieces => {
    const pieces = new OutputPieces(source, running);
    streams.push(pieces);
    return pieces;
  };

  subscribe('child_process', (message) => {
    const { process: child } = message as { process: ChildProcess };
    // The streams exist once `spawn` has returned, and nothing has been read from them yet.
    process.nextTick(() => {
      const { pid, spawnargs = [], exitCode, signalCode, killed } = child;
      const report: Mutable<ChildReport> = {
        pid,
        command: spawnargs.join(' '),
        hasEnded: false,
        endedDuring: [],
        code: exitCode,
        signal: signalCode,
        wasKilled: killed,
      };
      children.push(report);
      child.prependListener('exit', (code, signal) => {
        const wasKilled = child.killed || signalled(pid);
        Object.assign(report, { hasEnded: true, endedDuring: [...running], code, signal, wasKilled });
        ended();
      });
      for (const name of ['stdout', 'stderr'] as const)
        if (child[name] !== null && child[name] !== undefined) copyOutput(child[name], streamOf(`${name} of ${pid}`));
    });
  });

  observeSync((command, { pid, signal, status, stdout, stderr, error }) => {
    // A child that was killed by this process was killed for its timeout, or for too much output.
    const wasKilled = error !== undefined;
    children.push({ pid, command, hasEnded: true, endedDuring: [...running], code: status, signal, wasKilled });
    for (const [name, text] of Object.entries({ stdout, stderr }))
      if (text !== null && text !== undefined) streamOf(`${name} of ${pid}`).add(String(text));
    ended();
  });

  return () => ({
    children: children.map((child) => ({ ...child })),
    output: streams.flatMap(({ pieces }) => pieces).toSorted((a, b) => a.at - b.at),
  });
}

class OutputPieces {
  readonly pieces: OutputReport[] = [];
  readonly #source: string;
  readonly #running: ReadonlySet<string>;
  #length = 0;

  constructor(source: string, running: ReadonlySet<string>) {
    this.#source = source;
    this.#running = running;
  }

  add(text: string): void {
    if (text === '') return;
    const piece =
      text.length > MAX_OUTPUT ? `${text.slice(0, MAX_OUTPUT / 2)}\n…\n${text.slice(-MAX_OUTPUT / 2)}` : text;
    const during = [...this.#running];
    const last = this.pieces.at(-1);
    if (last !== undefined && last.during.join() === during.join() && last.text.length + piece.length <= MAX_PIECE)
      this.pieces[this.pieces.length - 1] = { ...last, text: last.text + piece };
    else this.pieces.push({ source: this.#source, at: Date.now(), during, text: piece });
    this.#length += piece.length;
    while (this.#length > MAX_OUTPUT && this.pieces.length > 2) {
      const [dropped] = this.pieces.splice(1, 1);
      this.#length -= dropped?.text.length ?? 0;
    }
  }
}

/** Copies what the test reads from the stream; never reads by itself. */
function copyOutput(stream: Readable, pieces: OutputPieces): void {
  const push = stream.push.bind(stream);
  const decoder = new TextDecoder();
  stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (chunk instanceof Uint8Array) pieces.add(decoder.decode(chunk, { stream: true }));
    return push(chunk, encoding);
  };
}

/** Whether a signal was sent to a process, or to the group that it leads, by `process.kill`. */
function observeKill(): (pid: number | undefined) => boolean {
  const signalled = new Set<number>();
  const kill = process.kill.bind(process);
  process.kill = (pid, signal) => {
    if (signal !== 0) signalled.add(Math.abs(pid));
    return kill(pid, signal);
  };
  return (pid) => pid !== undefined && signalled.has(pid);
}

type SyncResult = Pick<SpawnSyncReturns<string | Buffer>, 'pid' | 'signal' | 'status' | 'stdout' | 'stderr' | 'error'>;

function observeSync(ended: (command: string, outcome: SyncResult) => void): void {
  const { spawnSync, execFileSync, execSync } = childProcess;
  childProcess.spawnSync = ((...args: Parameters<typeof spawnSync>) => {
    const result = spawnSync(...args);
    ended(commandOf(args), result);
    return result;
  }) as typeof spawnSync;
  // These return the output of a child that succeeded, and throw an error with the same properties otherwise.
  const throwing =
    <A extends readonly unknown[]>(run: (...args: A) => unknown) =>
    (...args: A): unknown => {
      try {
        const stdout = run(...args) as string | Buffer;
        ended(commandOf(args), { pid: 0, signal: null, status: 0, stdout, stderr: '' });
        return stdout;
      } catch (error) {
        const { pid, signal, status, stdout, stderr, code } = error as SyncResult & { readonly code?: string };
        const fields = { pid, signal, status, stdout, stderr };
        ended(commandOf(args), code === undefined ? fields : { ...fields, error: error as Error });
        throw error;
      }
    };
  childProcess.execFileSync = throwing(execFileSync) as typeof execFileSync;
  childProcess.execSync = throwing(execSync) as typeof execSync;
  syncBuiltinESMExports();
}

function commandOf([file, args]: readonly unknown[]): string {
  return [file, ...(Array.isArray(args) ? args : [])].map(String).join(' ');
}
