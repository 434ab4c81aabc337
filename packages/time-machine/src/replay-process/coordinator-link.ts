// The time machine's end of the channel to the coordinator of one replay process. Answers arrive in any order. When the
// process ends, unanswered requests fail.
import type { Duplex } from 'node:stream';
import { ReplayError } from './replay-error.ts';
import type { StartMode } from './seek-estimator.ts';
import { encodeMessage, MessageDecoder } from './channel-messages.ts';
import type {
  FromCoordinator,
  RunLimit,
  PauseTarget,
  ThreadHit,
  ThreadRequestName,
  ThreadRequests,
  ThreadStatus,
  ToCoordinator,
  TrackingMode,
} from './protocol.ts';
import type { ThreadName } from './thread-name.ts';

export interface ProcessExit {
  /** Reason for the exit, for users. */
  readonly description: string;
  /** The process ended before the program ran, because its snapshot or its program could not be loaded. */
  readonly hasNotStarted: boolean;
}

/** A child process that re-executes a recording and can pause. The embedder starts it. */
export interface ReplayProcess {
  readonly channel: Duplex;
  readonly startMode: StartMode;
  kill(): void;
  readonly exited: Promise<ProcessExit>;
}

/** `now`: a request waits for the process. `later`: the process is prepared for a possible request. */
export type Urgency = 'now' | 'later';

export interface CoordinatorEvents {
  hits?(hits: readonly ThreadHit[], thread: ThreadName): void;
  /** @param done tasks that have run @param total tasks that the whole run has */
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
    // The reason is reported by `exited`.
    channel.on('error', () => undefined);
    void process.exited.then(({ description, hasNotStarted }) => {
      if (hasNotStarted) this.#markLost(`cannot start a replay process: ${description}`, 'TT_REPLAY_NOT_STARTED');
      else this.#markLost(`the replay process ended: ${description}`);
    });
  }

  get isLost(): boolean {
    return this.#lossError !== undefined;
  }

  /** Resident bytes of the process when its threads were last paused; undefined before that. */
  get memory(): number | undefined {
    return this.#memory;
  }

  /** Runs or undoes threads to their limits. Resolves when all threads are paused. */
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
    const reason = 'error' in response ? response.error : 'unexpected response of the coordinator';
    throw new ReplayError('TT_DIVERGED', reason);
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

  /** Runs to the end of the recording, where the process exits; returns a description of the exit. */
  async finish(): Promise<string> {
    this.#write({ finish: true });
    return (await this.#process.exited).description;
  }

  /** Kills the process; unanswered requests fail. */
  end(): void {
    this.#markLost('the replay process was ended');
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
    for (const { reject } of this.#pending.values()) reject(this.#lossError);
    this.#pending.clear();
  }
}
