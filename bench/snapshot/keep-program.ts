// Makes what the restore row restores: `keep-program.ts MEGABYTES FILE`, recorded. An actor holds a graph and one
// snapshot is taken; for v8.deserialize the same graph without its classes is written to FILE.

import { writeFileSync } from 'node:fs';
import { serialize } from 'node:v8';
import { spawnWith, start } from 'turntable';
import { airline } from '../heap/airline.ts';
import { DataHolder } from '../pauses/holder.ts';

const [megabytes = '', file = ''] = process.argv.slice(2);
writeFileSync(file, serialize(airline(Number(megabytes), false)));
const app = start({ workers: 0 });
const holder = spawnWith({ on: 'main' }, DataHolder, Number(megabytes));
await holder.touch();
await app.snapshot();
// Keeps the holder reachable during the snapshot.
await holder.touch();
await app.close();
