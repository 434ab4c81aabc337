// What rows of restoring restore: `keep-program.ts MEGABYTES FILE`, recorded. An actor holds a graph, and one snapshot is taken; for the others the same graph
// without its classes is written to the file.

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
// The holder stays.
await holder.touch();
await app.close();
