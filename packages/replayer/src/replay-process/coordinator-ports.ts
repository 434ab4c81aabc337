// Channels between the coordinator and the threads of a replay process. The main thread creates all of them and passes
// each new thread its end. BroadcastChannel is not used: its first message makes a thread load Node's HTTP client,
// which takes 40 ms.
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { ThreadName } from '@turntable/time-machine/replay-process';
import { threadKeyOf } from '../replay/replay-outcome.ts';

export class CoordinatorPorts {
  /** The coordinator's ends, in the order of the threads. */
  readonly coordinatorPorts: readonly MessagePort[];
  readonly #threadPorts = new Map<string, MessagePort>();

  constructor(threads: readonly ThreadName[]) {
    this.coordinatorPorts = threads.map((thread) => {
      const { port1, port2 } = new MessageChannel();
      this.#threadPorts.set(threadKeyOf(thread), port2);
      return port1;
    });
  }

  /** The thread's end of its channel. Can be taken once. */
  takeThreadPort(thread: ThreadName): MessagePort | undefined {
    const key = threadKeyOf(thread);
    const port = this.#threadPorts.get(key);
    this.#threadPorts.delete(key);
    return port;
  }
}
