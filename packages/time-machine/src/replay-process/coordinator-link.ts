// The time machine's end of the channel to the coordinator of one replay process. Requests are answered in any order. When the
// process ends, those that are left fail.
import type { Duplex } from 'node:stream';
import { EngineError } from './engine-error.ts';
import type { Beginning } from './pace.ts';
import {
  encodeMessage,
  type FromCoordinator,
  type Limit,
  MessageDecoder,
  type StopTarget,
  type ThreadHit,
  type ThreadName,
  type ThreadRequestName,
  type ThreadRequests,
  type ThreadStatus,
  type ToCoordinator,
  type TrackingMode,
} from './protocol.ts';

/** How a process has ended. */
export interface Ending {
  /** In words. */
  readonly how: string;
  /** Nothing of the program has run: the process could not load what it begins with. */
  readonly isUnbegun: boolean;
}

/** A child process that re-executes a recording and can pause, as whoever starts it describes it. */
export interface ReplayProcess {
  readonly channel: Duplex;
  readonly beginning: Beginning;
  kill(): void;
  readonly ended: Promise<Ending>;
}

/** Whether somebody waits for a process, or will perhaps have use for it. */
export type Urgency = 'now' | 'later';

export interface CoordinatorEvents {
  /** A thread has reached breakpoints. */
  hits?(hits: readonly ThreadHit[], thread: ThreadName): void;
  /** Stretches that have run, of those that will. */
  progress?(done: number, of: number): void;
}

type Response = Extract<FromCoordinator, { readonly id: number }>;

interface Waiting {
  settle(response: Response): void;
  fail(error: Error): void;
}

export class CoordinatorLink {
  readonly #process: ReplayProcess;
  readonly #waiting = new Map<number, Waiting>();
  readonly #ports: CoordinatorEvents;
  #count = 0;
  readonly #decoder = new MessageDecoder();
  #lost: EngineError | undefined;
  #memory: number | undefined;

  constructor(process: ReplayProcess, ports: CoordinatorEvents = {}) {
    this.#process = process;
    this.#ports = ports;
    const { channel } = process;
    channel.setEncoding('utf8');
    channel.on('data', (chunk: string) => this.#read(chunk));
    // The end of the process reports it.
    channel.on('error', () => undefined);
    void process.ended.then(({ how, isUnbegun }) =>
      this.#lose(
        isUnbegun ? `no process can begin: ${how}` : `the process of the replay has ended: ${how}`,
        isUnbegun ? 'TT_UNBEGUN' : 'TT_ENGINE_LOST',
      ),
    );
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** Resident bytes of the process when its threads were last paused. */
  get memory(): number | undefined {
    return this.#memory;
  }

  /** Resolves when all threads are paused. */
  async run(
    limits: readonly Limit[],
    stopAt: StopTarget | undefined,
    tracking: TrackingMode = 'nothing',
  ): Promise<readonly ThreadStatus[]> {
    const response = await this.#send((id) => ({ id, run: { limits, stopAt, tracking } }));
    if ('threads' in response) {
      this.#memory = response.memory;
      return response.threads;
    }
    throw new EngineError(
      'TT_DIVERGED',
      'error' in response ? response.error : 'unexpected response of the coordinator',
    );
  }

  async ask<Q extends ThreadRequestName>(
    thread: ThreadName,
    request: Q,
    params: ThreadRequests[Q]['params'],
  ): Promise<ThreadRequests[Q]['result']> {
    const response = await this.#send((id) => ({ id, request, thread, params }));
    if ('error' in response) throw new EngineError('TT_NO_POSITION', response.error);
    return ('result' in response ? response.result : undefined) as ThreadRequests[Q]['result'];
  }

  /** Runs to the end of the recording, where the process ends by itself; returns how. */
  async finish(): Promise<string> {
    this.#write({ finish: true });
    return (await this.#process.ended).how;
  }

  /** Kills the process; requests that are left fail. */
  end(): void {
    this.#lose('the process of the replay was ended');
    this.#process.kill();
  }

  #send(make: (id: number) => ToCoordinator): Promise<Response> {
    return new Promise((resolve, reject) => {
      if (this.#lost !== undefined) return reject(this.#lost);
      const id = ++this.#count;
      this.#waiting.set(id, { settle: resolve, fail: reject });
      this.#write(make(id));
    });
  }

  #write(message: ToCoordinator): void {
    this.#process.channel.write(encodeMessage(message));
  }

  #read(chunk: string): void {
    for (const message of this.#decoder.decode(chunk) as FromCoordinator[]) {
      if ('hits' in message) this.#ports.hits?.(message.hits, message.thread);
      else if ('done' in message) this.#ports.progress?.(message.done, message.of);
      else this.#settle(message);
    }
  }

  #settle(response: Response): void {
    const waiting = this.#waiting.get(response.id);
    this.#waiting.delete(response.id);
    waiting?.settle(response);
  }

  #lose(why: string, code: EngineError['code'] = 'TT_ENGINE_LOST'): void {
    this.#lost ??= new EngineError(code, why);
    for (const { fail } of this.#waiting.values()) fail(this.#lost);
    this.#waiting.clear();
  }
}
