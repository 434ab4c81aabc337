// Eventuals are handed over in the task that makes them, and settled in it.
import { spawn, start } from 'turntable';
import { Giver } from './handing-actors.mjs';

const app = start({ workers: 2 });
const giver = spawn(Giver, 'ann');
console.log(await giver.give(4));
console.log(await spawn(Giver, 'bob').give(6));
await app.close();
