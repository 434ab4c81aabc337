// Program of the recordings of bench:timetravel: `program.ts MEGABYTES ENTRIES TURNS`. An actor holds that many
// megabytes and has one turn of ENTRIES entries, with TURNS turns of a hundred entries each before and after it.

import { spawnWith, start } from 'turntable';
import { Ledger } from './ledger.ts';

const [megabytes = 5, entries = 25_000, turns = 40] = process.argv.slice(2).map(Number);
const app = start({ workers: 0 });
const ledger = spawnWith({ on: 'main' }, Ledger, megabytes);
let sum = await ledger.enter(1);
await app.snapshot();
for (let i = 0; i < turns; i++) sum += await ledger.enter(100);
sum += await ledger.enter(entries);
for (let i = 0; i < turns; i++) sum += await ledger.enter(100);
console.log(sum);
await app.close();
