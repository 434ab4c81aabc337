// The ends of what the desk and the threads of an engine say to each other: made on the main thread before any of them, since whoever begins a thread gives it its own. No channel by name: with the first
// message of one each thread loads a client for HTTP, in which the class of such events is, and that takes it forty milliseconds.
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { ThreadName } from '@turntable/time-machine';

export class DeskPorts {
  /** In the order of the threads. */
  readonly forDesk: readonly MessagePort[];
  readonly #forThreads = new Map<string, MessagePort>();

  constructor(threads: readonly ThreadName[]) {
    this.forDesk = threads.map((thread) => {
      const { port1, port2 } = new MessageChannel();
      this.#forThreads.set(keyOf(thread), port2);
      return port1;
    });
  }

  /** The thread's, for whoever gives it to it: once. */
  take(thread: ThreadName): MessagePort | undefined {
    const key = keyOf(thread);
    const port = this.#forThreads.get(key);
    this.#forThreads.delete(key);
    return port;
  }
}

function keyOf({ worker, life }: ThreadName): string {
  return `${worker}.${life}`;
}
