// What `npm run pack` runs on the packages as they are published: an actor on a worker.
import { spawn, start } from 'turntable';
import { Counter } from './packed-counter.ts';

start({ workers: 1 });
const counter = spawn(Counter);
await counter.add(1);
console.log(await counter.add(2));
