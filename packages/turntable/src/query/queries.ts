// The queries of a running program: each takes a snapshot, while all threads go on, and has a function's text run over it in a thread of its
// own, one after the other. Whatever becomes of that thread, the program goes on.
import type { Origin } from '@turntable/recording';
import { RuntimeError, type RuntimeErrorCode } from '@turntable/runtime';
import { Worker } from 'node:worker_threads';
import type { QueryAnswer, QueryQuestion, QueryThreadData } from './query-messages.ts';
import { FORM_FLAGS } from '@turntable/replayer/entry';
import { QUERY_THREAD } from '../facade.ts';

export interface QueryOptions {
  /** Milliseconds that the query may take, without the snapshot; 60 000 unless given. */
  readonly timeout?: number;
  /** Megabytes that its thread may take, for what the snapshot holds too; 2048 unless given. Buffers come on top. */
  readonly memory?: number;
}

const TIMEOUT = 60_000;
const MEMORY = 2048;
/** Milliseconds for which the thread waits for another query. */
const IDLE = 10_000;
/** A recording that is kept short may have lost a snapshot again before it is read; a worker may have ended while one was taken. */
const PASSING: ReadonlySet<unknown> = new Set(['TT_RECORDING_MISSING', 'TT_NO_SNAPSHOT']);
const ATTEMPTS = 3;

const { setTimeout: nativeSetTimeout, clearTimeout: nativeClearTimeout } = globalThis;

export class Queries {
  readonly #data: QueryThreadData;
  #thread: { readonly worker: Worker; readonly memory: number } | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** The end of the one before. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(data: QueryThreadData) {
    this.#data = data;
  }

  /** `take` takes a snapshot, when it is this query's turn. */
  ask(
    take: () => Promise<Origin>,
    fn: (...args: never[]) => unknown,
    args: readonly unknown[],
    options: QueryOptions,
  ): Promise<unknown> {
    const { timeout = TIMEOUT, memory = MEMORY } = options;
    for (const [name, value] of Object.entries({ timeout, memory }))
      if (!(typeof value === 'number' && value > 0))
        throw new RuntimeError('TT_OPTIONS', `query: ${name} is a number above 0, not ${String(value)}`);
    const text = textOf(fn);
    const copied = copyOf(args);
    const answer = this.#last.then(async () => {
      for (let attempt = 1; ; attempt++) {
        try {
          const { recording, phase } = await take();
          return await this.#run({ recording, phase, text, args: copied }, timeout, memory);
        } catch (error) {
          if (attempt === ATTEMPTS || !PASSING.has((error as { code?: unknown } | undefined)?.code)) throw error;
        }
      }
    });
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  /** Ends the thread; a query under way is rejected. */
  close(): void {
    nativeClearTimeout(this.#idle);
    void this.#thread?.worker.terminate();
    this.#thread = undefined;
  }

  #run(question: QueryQuestion, timeout: number, memory: number): Promise<unknown> {
    const worker = this.#worker(memory);
    worker.ref();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const fail = (code: RuntimeErrorCode, message: string, cause?: unknown): void => {
      reject(new RuntimeError(code, message, { cause }));
      this.close();
    };
    const timer = nativeSetTimeout(() => {
      const message = `the query has not answered within ${timeout} ms and was ended; give it more, app.queryWith({ timeout }, fn), or less to do`;
      fail('TT_DEADLINE', message);
    }, timeout);
    const listeners = {
      message: (said: QueryAnswer) => (said.is === 'answer' ? resolve(said.value) : reject(errorOf(said))),
      messageerror: (error: unknown) => fail('TT_QUERY', 'the answer of the query cannot be read', error),
      error: (error: unknown) => fail('TT_QUERY', whyEnded(error, memory), error),
      exit: (code: number) => fail('TT_QUERY', `the query ended its thread, with code ${code}`),
    };
    for (const [event, listener] of Object.entries(listeners)) worker.on(event, listener);
    worker.postMessage(question);
    return promise.finally(() => {
      nativeClearTimeout(timer);
      for (const [event, listener] of Object.entries(listeners)) worker.off(event, listener);
      worker.unref();
      if (this.#thread !== undefined) this.#idle = nativeSetTimeout(() => this.close(), IDLE).unref();
    });
  }

  #worker(memory: number): Worker {
    nativeClearTimeout(this.#idle);
    if (this.#thread !== undefined && this.#thread.memory !== memory) this.close();
    this.#thread ??= { worker: startThread(this.#data, memory), memory };
    return this.#thread.worker;
  }
}

/** Neither the program's hooks nor its environment belong in it. */
function startThread(workerData: QueryThreadData, memory: number): Worker {
  const worker = new Worker(QUERY_THREAD, {
    name: 'turntable query',
    workerData,
    execArgv: [...FORM_FLAGS],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: memory, stackSizeMb: STACK },
  });
  // One that is being ended may still fail, when nobody asks.
  return worker.on('error', () => undefined);
}

/** Megabytes. Graphs are read as deep as they were written. */
const STACK = 16;

function whyEnded(error: unknown, memory: number): string {
  const { code, message } = error as { code?: string; message?: string };
  return code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? `the query took more than ${memory} MB of memory and was ended; allow more, app.queryWith({ memory }, fn), or keep less`
    : `the query ended its thread: ${message ?? String(error)}`;
}

function errorOf({ error, code }: Extract<QueryAnswer, { is: 'failure' }>): unknown {
  if (code === undefined || !(error instanceof Error)) return error;
  const isOurs = code === 'TT_QUERY' || code === 'TT_DAMAGED_SNAPSHOT' || code === 'TT_NO_SNAPSHOT';
  // Its own stack says where in the query.
  if (isOurs)
    return Object.assign(new RuntimeError(code, error.message, { cause: error.cause }), { stack: error.stack });
  return Object.assign(error, { code });
}

/** As the programmer wrote it, once its types are gone. */
function textOf(fn: unknown): string {
  if (typeof fn !== 'function')
    throw new RuntimeError('TT_QUERY', `query(…) was given ${String(fn)}; give it a function`);
  const text = Function.prototype.toString.call(fn);
  if (/\{\s*\[native code\]\s*\}$/.test(text))
    throw new RuntimeError(
      'TT_QUERY',
      `query(…) was given ${fn.name === '' ? 'a function' : fn.name} that has no text (it is bound, or native); give it a function that is written out`,
    );
  return text;
}

/** At once: they may change. */
function copyOf(args: readonly unknown[]): readonly unknown[] {
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
