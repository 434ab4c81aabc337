// Files that are loaded between two snapshots, one of them twice, and counted on afterwards.
import { createRequire } from 'node:module';
import { start } from 'turntable';

const require = createRequire(import.meta.url);
const app = start({ workers: 1 });
const parts = [];

async function load(what) {
  const { total } = await import(what);
  parts.push(total);
  console.log(`${what}: ${total([parts.length, 2])}`);
}

await load('./lazily-part.mjs');
await app.snapshot();
await load('./lazily-part.mjs?again');
const { Tally } = require('./lazily-tally.cjs');
const tally = new Tally();
tally.add(parts.length);
await app.snapshot();
delete require.cache[require.resolve('./lazily-tally.cjs')];
const { Tally: Another } = require('./lazily-tally.cjs');
const another = new Another();
for (let i = 0; i < 3; i++) {
  await new Promise((resolve) => setTimeout(resolve, 1));
  tally.add(parts[i % 2]([i, i]));
  another.add(i);
}
await app.snapshot();
console.log(tally.sum, another.sum, another instanceof Tally, Another.name);
await app.close();
