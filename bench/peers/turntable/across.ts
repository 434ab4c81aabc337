// Turntable on two threads: the main program calls an actor on a worker, as libraries that wrap workers in promises do.

import { spawnWith, start } from 'turntable';
import { measure, type Size } from '../js/measure.ts';
import { Counter } from './counter.ts';

start({ workers: 1 });
const counter = spawnWith({ on: 1 }, Counter);

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
