import { spawn, start } from 'turntable';
import { Counter } from './counter.ts';

start({ workers: 1 });
const counter = spawn(Counter);
await counter.add(1);
console.log('counted', await counter.add(2));
