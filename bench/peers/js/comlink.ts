// comlink: an object exposed by a worker, whose methods are called through a proxy. Two threads; every call is
// answered.

import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { installed } from './installed.ts';
import { measure, type Size } from './measure.ts';

interface Remote {
  ping(value: number): Promise<number>;
  increment(): Promise<void>;
  retrieve(): Promise<number>;
}
interface Comlink {
  expose(value: object, endpoint: object): void;
  wrap(endpoint: object): Remote;
}

const { expose, wrap } = installed<Comlink>('comlink');
const nodeEndpoint = installed<(worker: object) => object>('comlink/dist/umd/node-adapter.js');

class Counter {
  #count = 0;
  ping(value: number): number {
    return value;
  }
  increment(): void {
    this.#count++;
  }
  retrieve(): number {
    const count = this.#count;
    this.#count = 0;
    return count;
  }
}

if (isMainThread) {
  const counter = wrap(nodeEndpoint(new Worker(new URL(import.meta.url))));
  await measure({
    async PingPong({ count }: Size) {
      let pongs = 0;
      for (let i = 0; i < count; i++) if ((await counter.ping(i)) === i) pongs++;
      return pongs;
    },
    async Counting({ count }: Size) {
      await Promise.all(Array.from({ length: count }, () => counter.increment()));
      return counter.retrieve();
    },
  });
} else {
  expose(new Counter(), nodeEndpoint(parentPort!));
}
