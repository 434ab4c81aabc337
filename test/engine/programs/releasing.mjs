// A reference is released in a later task than the one that looks behind it.
import { spawn, start } from 'turntable';
import { Lender } from './releasing-actors.mjs';

const app = start({ workers: 1 });
const lender = spawn(Lender);
await lender.lend();
console.log(await lender.look());
console.log(await lender.look());
await lender.takeBack();
console.log(await lender.look());
await app.close();
