// The time machine's end of the channel to the coordinator of one replay process. Requests are answered in any order. When the
// process ends, those that are left fail.
import type { Duplex } from 'node:stream';
import { ReplayError } from './replay-error.ts';
import type { StartMode } from './seek-estimator.ts';
import {
  encodeMessage,
  type FromCoordinator,
  type RunLimit,
  MessageDecoder,
  type PauseTarget,
  type ThreadHit,
  type ThreadName,
  type ThreadRequestName,
  type ThreadRequests,
  type ThreadStatus,
  type ToCoordinator,
  type TrackingMode,
} from './protocol.ts';

/** How a process has ended. */
export interface ProcessExit {
  /** In words. */
  readonly description: string;
  /** Nothing of the program has run: the process could not load what it begins with. */
  readonly hasNotStarted: boolean;
}

/** A child process that re-executes a recording and can pause, as whoever starts it describes it. */
export interface ReplayProcess {
  readonly channel: Duplex;
  readonly startMode: StartMode;
  kill(): void;
  readonly exited: Promise<ProcessExit>;
}

/** Whether somebody waits for a process, or will perhaps have use for it. */
export type Urgency = 'now' | 'later';

export interface CoordinatorEvents {
  /** A thread has reached breakpoints. */
  hits?(hits: readonly ThreadHit[], thread: ThreadName): void;
  /** Tasks that have run, of those that will. */
  progress?(done: number, total: number): void;
}

type Response = Extract<FromCoordinator, { readonly id: number }>;

interface PendingRequest {
  resolve(response: Response): void;
  reject(error: Error): void;
}

export class CoordinatorLink {
  readonly #process: ReplayProcess;
  readonly #pending = new Map<number, PendingRequest>();
  readonly #events: CoordinatorEvents;
  #lastId = 0;
  readonly #decoder = new MessageDecoder();
  #lossError: ReplayError | undefined;
  #memory: number | undefined;

  constructor(process: ReplayProcess, events: CoordinatorEvents = {}) {
    this.#process = process;
    this.#events = events;
    const { channel } = process;
    channel.setEncoding('utf8');
    channel.on('data', (chunk: string) => this.#read(chunk));
    // The end of the process reports it.
    channel.on('error', () => undefined);
    void process.exited.then(({ description, hasNotStarted }) =>
      this.#markLost(
        hasNotStarted ? `no process can begin: ${description}` : `the process of the replay has ended: ${description}`,
        hasNotStarted ? 'TT_REPLAY_NOT_STARTED' : 'TT_REPLAY_LOST',
      ),
    );
  }

  get isLost(): boolean {
    return this.#lossError !== undefined;
  }

  /** Resident bytes of the process when its threads were last paused. */
  get memory(): number | undefined {
    return this.#memory;
  }

  /** Resolves when all threads are paused. */
  async run(
    limits: readonly RunLimit[],
    stopAt: PauseTarget | undefined,
    tracking: TrackingMode = 'nothing',
  ): Promise<readonly ThreadStatus[]> {
    const response = await this.#send((id) => ({ id, run: { limits, pauseAt: stopAt, tracking } }));
    if ('threads' in response) {
      this.#memory = response.memory;
      return response.threads;
    }
    throw new ReplayError(
      'TT_DIVERGED',
      'error' in response ? response.error : 'unexpected response of the coordinator',
    );
  }

  async request<Q extends ThreadRequestName>(
    thread: ThreadName,
    request: Q,
    params: ThreadRequests[Q]['params'],
  ): Promise<ThreadRequests[Q]['result']> {
    const response = await this.#send((id) => ({ id, request, thread, params }));
    if ('error' in response) throw new ReplayError('TT_NO_POSITION', response.error);
    return ('result' in response ? response.result : undefined) as ThreadRequests[Q]['result'];
  }

  /** Runs to the end of the recording, where the process ends by itself; returns how. */
  async finish(): Promise<string> {
    this.#write({ finish: true });
    return (await this.#process.exited).description;
  }

  /** Kills the process; requests that are left fail. */
  end(): void {
    this.#markLost('the process of the replay was ended');
    this.#process.kill();
  }

  #send(createMessage: (id: number) => ToCoordinator): Promise<Response> {
    return new Promise((resolve, reject) => {
      if (this.#lossError !== undefined) return reject(this.#lossError);
      const id = ++this.#lastId;
      this.#pending.set(id, { resolve, reject });
      this.#write(createMessage(id));
    });
  }

  #write(message: ToCoordinator): void {
    this.#process.channel.write(encodeMessage(message));
  }

  #read(chunk: string): void {
    for (const message of this.#decoder.decode(chunk) as FromCoordinator[]) {
      if ('hits' in message) this.#events.hits?.(message.hits, message.thread);
      else if ('done' in message) this.#events.progress?.(message.done, message.total);
      else this.#resolve(message);
    }
  }

  #resolve(response: Response): void {
    const pending = this.#pending.get(response.id);
    this.#pending.delete(response.id);
    pending?.resolve(response);
  }

  #markLost(reason: string, code: ReplayError['code'] = 'TT_REPLAY_LOST'): void {
    this.#lossError ??= new ReplayError(code, reason);
    for (const { reject: fail } of this.#pending.values()) fail(this.#lossError);
    this.#pending.clear();
  }
}
