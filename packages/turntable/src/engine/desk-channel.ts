// A thread's end of what it and the desk say to each other: questions come in, answers go out. One that stands still looks for itself what has come; elsewhere it is heard from the event loop.
import { BroadcastChannel, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { Question, ThreadName } from '@turntable/replay';
import { channelOf } from './control-words.ts';

export interface Asked {
  readonly id: number;
  readonly ask: Question | 'rest';
  readonly wanted: unknown;
}

export class DeskChannel {
  readonly #channel: BroadcastChannel;
  readonly #hear: (asked: Asked) => void;

  constructor(thread: ThreadName, hear: (asked: Asked) => void) {
    this.#hear = hear;
    this.#channel = new BroadcastChannel(channelOf(thread));
    this.#channel.addEventListener('message', (event) => this.#take((event as MessageEvent).data as string));
    // Somebody who asks keeps no thread going.
    this.#channel.unref();
  }

  /** What has come by now. */
  hearAll(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) this.#take(next);
  }

  answer(answer: object): void {
    this.#channel.postMessage(JSON.stringify(answer));
  }

  /** The desk looks at what has changed. */
  tell(): void {
    this.answer({ id: 0 });
  }

  #next(): string | undefined {
    // Node takes both, its types one.
    const port = this.#channel as unknown as MessagePort;
    return (receiveMessageOnPort(port) as { readonly message: string } | undefined)?.message;
  }

  #take(text: string): void {
    this.#hear(JSON.parse(text) as Asked);
  }
}
