// Program that `npm run pack` runs on the published packages, whole and captured in the middle. It uses functions of
// Turntable that run on the program side.
import { EventEmitter, on, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { callbackify, promisify } from 'node:util';

type Done = (error: null, count: number) => void;

class Counter extends EventEmitter {
  #count = 0;

  add(amount: number, done: Done): void {
    this.#count += amount;
    this.emit('counted', this.#count);
    setImmediate(done, null, this.#count);
  }
}

const counter = new Counter();
const add = promisify((amount: number, done: Done) => counter.add(amount, done));
const counts = on(counter, 'counted');
const reaches = once(counter, 'counted');
callbackify(add)(1, (error, count) => console.log('called back', error, count));
console.log('once', await reaches);
for (const amount of [1, 2, 3]) {
  await sleep(1);
  console.log('added', await add(amount));
}
for await (const [count] of counts) {
  console.log('seen', count);
  if (count === 7) break;
}
