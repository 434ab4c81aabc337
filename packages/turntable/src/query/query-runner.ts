// Runs the queries of a running program. Each query takes a snapshot while all threads run, and is run over it in the
// query thread, one after the other. Any failure of that thread must leave the program running.
import type { SnapshotOrigin } from '@turntable/recording';
import { RuntimeError, type RuntimeErrorCode } from '@turntable/runtime';
import { Worker } from 'node:worker_threads';
import type { QueryReply, QueryRequest, QueryThreadData } from './query-messages.ts';
import { PACKAGE_FORM_FLAGS } from '@turntable/replayer/entry';
import { QUERY_THREAD_URL } from '../facade.ts';

/** Limits of `app.queryWith`. */
export interface QueryOptions {
  /** Time limit of the query in milliseconds, excluding the snapshot. Default: 60 000. */
  readonly timeout?: number;
  /** Memory limit of the query thread in megabytes, including the snapshot, excluding buffers. Default: 2048. */
  readonly memory?: number;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_MEMORY_MB = 2048;
/** Time without a query after which the query thread ends. */
const IDLE_TIMEOUT_MS = 10_000;
/** Errors after which a query is retried: a snapshot was deleted before it was read, or a worker ended meanwhile. */
const TRANSIENT_CODES: ReadonlySet<unknown> = new Set(['TT_RECORDING_MISSING', 'TT_NO_SNAPSHOT']);
const MAX_ATTEMPTS = 3;

const { setTimeout: nativeSetTimeout, clearTimeout: nativeClearTimeout } = globalThis;

/** A query as plain data. */
export interface PreparedQuery extends Required<QueryOptions> {
  readonly source: string;
  readonly args: readonly unknown[];
}

/** Checks a query and copies its arguments. */
export function prepareQuery(
  fn: (...args: never[]) => unknown,
  args: readonly unknown[],
  options: QueryOptions,
): PreparedQuery {
  const { timeout = DEFAULT_TIMEOUT_MS, memory = DEFAULT_MEMORY_MB } = options;
  for (const [name, value] of Object.entries({ timeout, memory }))
    if (!(typeof value === 'number' && value > 0))
      throw new RuntimeError('TT_OPTIONS', `query: ${name} must be a number above 0, not ${String(value)}`);
  return { source: sourceOf(fn), args: cloneArguments(args), timeout, memory };
}

export class QueryRunner {
  readonly #threadData: QueryThreadData;
  #thread: { readonly worker: Worker; readonly memory: number } | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  /** Settles when all queries so far have ended. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(data: QueryThreadData) {
    this.#threadData = data;
  }

  /** Queues a query. @param take takes the snapshot; called when the earlier queries have ended */
  run(take: () => Promise<SnapshotOrigin>, { source, args, timeout, memory }: PreparedQuery): Promise<unknown> {
    const result = this.#queue.then(async () => {
      for (let attempt = 1; ; attempt++) {
        try {
          const { recording, phase } = await take();
          return await this.#runOnce({ recording, phase, source, args }, timeout, memory);
        } catch (error) {
          if (attempt === MAX_ATTEMPTS || !TRANSIENT_CODES.has((error as { code?: unknown } | undefined)?.code))
            throw error;
        }
      }
    });
    this.#queue = result.catch(() => undefined);
    return result;
  }

  /** Ends the thread and rejects the current query. */
  close(): void {
    nativeClearTimeout(this.#idleTimer);
    void this.#thread?.worker.terminate();
    this.#thread = undefined;
  }

  #runOnce(request: QueryRequest, timeout: number, memory: number): Promise<unknown> {
    const worker = this.#threadWith(memory);
    worker.ref();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const fail = (code: RuntimeErrorCode, message: string, cause?: unknown): void => {
      reject(new RuntimeError(code, message, { cause }));
      this.close();
    };
    const timer = nativeSetTimeout(() => {
      const message = `the query has not answered within ${timeout} ms and was ended; allow more with app.queryWith({ timeout }, fn)`;
      fail('TT_DEADLINE', message);
    }, timeout);
    const listeners = {
      message: (reply: QueryReply) => (reply.kind === 'answer' ? resolve(reply.value) : reject(reviveError(reply))),
      messageerror: (error: unknown) =>
        fail('TT_QUERY', 'the result of the query cannot be read; return plain data', error),
      error: (error: unknown) => fail('TT_QUERY', exitMessage(error, memory), error),
      exit: (code: number) =>
        fail('TT_QUERY', `the query ended its thread with exit code ${code}; return a result instead`),
    };
    for (const [event, listener] of Object.entries(listeners)) worker.on(event, listener);
    worker.postMessage(request);
    return promise.finally(() => {
      nativeClearTimeout(timer);
      for (const [event, listener] of Object.entries(listeners)) worker.off(event, listener);
      worker.unref();
      if (this.#thread !== undefined) this.#idleTimer = nativeSetTimeout(() => this.close(), IDLE_TIMEOUT_MS).unref();
    });
  }

  #threadWith(memory: number): Worker {
    nativeClearTimeout(this.#idleTimer);
    if (this.#thread !== undefined && this.#thread.memory !== memory) this.close();
    this.#thread ??= { worker: startThread(this.#threadData, memory), memory };
    return this.#thread.worker;
  }
}

/** Starts a query thread, without the program's hooks and environment. */
function startThread(workerData: QueryThreadData, memory: number): Worker {
  const worker = new Worker(QUERY_THREAD_URL, {
    name: 'turntable query',
    workerData,
    execArgv: [...PACKAGE_FORM_FLAGS],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: memory, stackSizeMb: STACK_MB },
  });
  // An error between two queries has no receiver, and must not end the program.
  return worker.on('error', () => undefined);
}

/** Stack size of the query thread in megabytes. Reading a graph recurses as deep as writing it. */
const STACK_MB = 16;

function exitMessage(error: unknown, memory: number): string {
  const { code, message } = error as { code?: string; message?: string };
  return code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? `the query took more than ${memory} MB of memory and was ended; allow more with app.queryWith({ memory }, fn)`
    : `the query ended its thread: ${message ?? String(error)}`;
}

function reviveError({ error, code }: Extract<QueryReply, { kind: 'failure' }>): unknown {
  if (code === undefined || !(error instanceof Error)) return error;
  const isOurs = code === 'TT_QUERY' || code === 'TT_DAMAGED_SNAPSHOT' || code === 'TT_NO_SNAPSHOT';
  // The stack of the original error is kept, since it locates the error in the query.
  if (isOurs)
    return Object.assign(new RuntimeError(code, error.message, { cause: error.cause }), { stack: error.stack });
  return Object.assign(error, { code });
}

/** Returns the source of a function; throws if it has none. */
function sourceOf(fn: unknown): string {
  if (typeof fn !== 'function')
    throw new RuntimeError('TT_QUERY', `query(…) must be given a function, not ${String(fn)}`);
  const source = Function.prototype.toString.call(fn);
  if (/\{\s*\[native code\]\s*\}$/.test(source))
    throw new RuntimeError(
      'TT_QUERY',
      `query(…) was given ${fn.name === '' ? 'a function' : fn.name} without source text (bound or native); give it an ordinary function`,
    );
  return source;
}

/** Copies the arguments at once, since the caller may change them before the query runs. */
function cloneArguments(args: readonly unknown[]): readonly unknown[] {
  try {
    return structuredClone(args);
  } catch (cause) {
    throw new RuntimeError(
      'TT_QUERY',
      `an argument of the query cannot be copied to its thread: ${(cause as Error).message}; give it plain data`,
      { cause },
    );
  }
}
