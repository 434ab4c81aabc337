// Channels between the coordinator and the threads of a replay process. The main thread makes all of them and passes each
// new thread its end. They are not named (BroadcastChannel): the first message of one makes a thread load Node's HTTP client,
// which has the class of the event and takes 40 ms.
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { ThreadName } from '@turntable/time-machine/replay-process';

export class CoordinatorPorts {
  /** In the order of the threads. */
  readonly forCoordinator: readonly MessagePort[];
  readonly #forThreads = new Map<string, MessagePort>();

  constructor(threads: readonly ThreadName[]) {
    this.forCoordinator = threads.map((thread) => {
      const { port1, port2 } = new MessageChannel();
      this.#forThreads.set(keyOf(thread), port2);
      return port1;
    });
  }

  /** The thread's end of its channel. Can be taken once. */
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
