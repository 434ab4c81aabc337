// From the first timer of an actor's on the program can be called back from outside, and contexts are followed.
import { spawn, start } from 'turntable';
import { Waiter } from './reaching-actors.mjs';

const app = start({ workers: 1 });
const waiter = spawn(Waiter);
await waiter.prepare(3);
await waiter.prepare(2);
console.log(await waiter.rest(1));
const other = spawn(Waiter);
await Promise.all([waiter.prepare(1), other.prepare(2)]);
await app.close();
