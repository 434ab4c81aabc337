// A thread's end of its channel to the coordinator: requests come in, responses go out. A paused thread polls the channel;
// a running one receives requests in its event loop.
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { Question } from '@turntable/time-machine';

export interface Asked {
  readonly id: number;
  readonly ask: Question | 'rest';
  readonly wanted: unknown;
}

export class CoordinatorChannel {
  readonly #port: MessagePort;
  readonly #hear: (asked: Asked) => void;

  constructor(port: MessagePort, hear: (asked: Asked) => void) {
    this.#hear = hear;
    this.#port = port;
    port.on('message', (text: string) => this.#take(text));
    // Somebody who asks keeps no thread going.
    port.unref();
  }

  /** What has come by now. */
  hearAll(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) this.#take(next);
  }

  answer(answer: object): void {
    this.#port.postMessage(JSON.stringify(answer));
  }

  /** Asks the coordinator to look at the thread's control words. */
  tell(): void {
    this.answer({ id: 0 });
  }

  #next(): string | undefined {
    return (receiveMessageOnPort(this.#port) as { readonly message: string } | undefined)?.message;
  }

  #take(text: string): void {
    this.#hear(JSON.parse(text) as Asked);
  }
}
