// A thread's end of its channel to the coordinator: requests come in, responses go out. A paused thread polls the
// channel; a running one receives requests in its event loop.
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { ThreadHit, ThreadRequestName } from '@turntable/time-machine/replay-process';

/** A request to a thread: one of the time machine, or `idleReport`, which only the coordinator sends. */
export interface ThreadRequest {
  /** Below 0 for a request of the coordinator. */
  readonly id: number;
  readonly request: ThreadRequestName | 'idleReport';
  readonly params: unknown;
}

/** A message of a thread to the coordinator: a response, or, with the id 0, a report. */
export interface ThreadMessage {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
  readonly hits?: readonly ThreadHit[];
  /** How the thread differs from the recording. */
  readonly divergence?: string;
}

/** Result of `idleReport`: whether a thread that is not paused has nothing to do. */
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
    // A request does not keep the thread alive.
    port.unref();
  }

  /** Handles the requests that have come by now. */
  receivePending(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) this.#receive(next);
  }

  send(message: ThreadMessage): void {
    this.#port.postMessage(JSON.stringify(message));
  }

  /** Asks the coordinator to look at the thread's control words. */
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
