// A thread's end of what it and the desk say to each other: questions come in, answers go out. One that stands still looks for itself what has come; elsewhere it is heard from the event loop.
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { Question } from '@turntable/time-machine';

export interface Asked {
  readonly id: number;
  readonly ask: Question | 'rest';
  readonly wanted: unknown;
}

export class DeskChannel {
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

  /** The desk looks at what has changed. */
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
