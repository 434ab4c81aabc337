// A thread's end of its channel to the coordinator, for requests and responses. A paused thread polls the channel; a
// running one receives requests in its event loop.
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type {
  NumberedTaskTrace,
  ThreadHit,
  ThreadName,
  ThreadRequestName,
} from '@turntable/time-machine/replay-process';

/** Requests that the coordinator sends itself; the time machine sends all others. */
export interface CoordinatorRequests {
  readonly idleReport: { readonly params: undefined; readonly result: IdleReport };
  /** To the main thread. The result is false if the report that the thread has stopped has not arrived. */
  readonly replaceStopped: { readonly params: ThreadName; readonly result: boolean };
}

/** A request to a thread. */
export interface ThreadRequest {
  /** Negative for the coordinator's own requests. */
  readonly id: number;
  readonly request: ThreadRequestName | keyof CoordinatorRequests;
  readonly params: unknown;
}

/** A message of a thread to the coordinator: a response, or a report, which has the id 0. */
export interface ThreadMessage {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
  readonly hits?: readonly ThreadHit[];
  /** The task traces of a thread that ends. It may be replaced before they are requested. */
  readonly taskTraces?: readonly NumberedTaskTrace[];
  /** Description of the thread's divergence from the recording. */
  readonly divergence?: string;
}

/** Whether a thread that is not paused has work to do. */
export interface IdleReport {
  readonly isIdle: boolean;
  /** Whether the snapshot from which the process resumed has been restored. */
  readonly isRestored: boolean;
  /** Increases while the thread is working. */
  readonly progress: number;
}

export class CoordinatorChannel {
  readonly #port: MessagePort;
  readonly #onRequest: (request: ThreadRequest) => void;

  constructor(port: MessagePort, onRequest: (request: ThreadRequest) => void) {
    this.#onRequest = onRequest;
    this.#port = port;
    port.on('message', (json: string) => this.#receive(json));
    // The channel must not keep the thread alive.
    port.unref();
  }

  /** Handles the requests that have arrived, without the event loop. */
  receivePending(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) this.#receive(next);
  }

  send(message: ThreadMessage): void {
    this.#port.postMessage(JSON.stringify(message));
  }

  /** Asks the coordinator to read the thread's control words. */
  notify(): void {
    this.send({ id: 0 });
  }

  #next(): string | undefined {
    return (receiveMessageOnPort(this.#port) as { readonly message: string } | undefined)?.message;
  }

  #receive(json: string): void {
    this.#onRequest(JSON.parse(json) as ThreadRequest);
  }
}
