// Two workers that keep each other busy: at any moment something is under way between them. For so long as is said.
import { spawnWith, start } from 'turntable';
import { Busy } from './busy-actors.ts';

const app = start({ workers: 2 });
const one = spawnWith({ on: 1 }, Busy);
const two = spawnWith({ on: 2 }, Busy);
one.meet(two as never);
two.meet(one as never);
const began = Date.now();
const [hops = '9'] = process.argv.slice(2);
const all = Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? one : two).pass(i, Number(hops)));
let ticks = 0;
const timer = setInterval(() => ticks++, 2);
const sums = await Promise.all(all);
clearInterval(timer);
console.log(sums.length, ticks > 0, Date.now() > began);
await app.close();
