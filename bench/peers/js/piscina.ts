// piscina: a pool of one worker, with its defaults; tasks are functions of the worker's module. Two threads; every task
// is answered.

import { fileURLToPath } from 'node:url';
import { installed } from './installed.ts';
import { measure, type Size } from './measure.ts';

interface Pool {
  run<T>(task: unknown, options: { name: string }): Promise<T>;
}
interface Exports {
  readonly Piscina: new (options: { filename: string; minThreads: number; maxThreads: number }) => Pool;
}

const { Piscina } = installed<Exports>('piscina');
const filename = fileURLToPath(new URL('./piscina-task.ts', import.meta.url));
const pool = new Piscina({ filename, minThreads: 1, maxThreads: 1 });

await measure({
  async PingPong({ count }: Size) {
    let pongs = 0;
    for (let i = 0; i < count; i++) if ((await pool.run<number>(i, { name: 'ping' })) === i) pongs++;
    return pongs;
  },
  async Counting({ count }: Size) {
    await Promise.all(Array.from({ length: count }, () => pool.run<void>(undefined, { name: 'increment' })));
    return pool.run<number>(undefined, { name: 'retrieve' });
  },
});
