// From the first call that reaches outside on, contexts are followed.
import { fileURLToPath } from 'node:url';
import { spawn, start } from 'turntable';
import { Reader } from './reaching-actors.mjs';

const app = start({ workers: 0 });
const reader = spawn(Reader);
await reader.prepare(3);
await reader.prepare(2);
console.log(await reader.read(fileURLToPath(import.meta.url)));
await reader.prepare(1);
await app.close();
