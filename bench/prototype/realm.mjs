// Hand-compiled programs on core, compared with native ones and a control (native twice), interleaved in one process.
// Run: node -C turntable-source bench/prototype/realm.mjs [rounds]
import { createRealm } from '@turntable/core';
import { native, sizes, transformed } from './programs.mjs';

const rounds = Number(process.argv[2] ?? 31);
const realm = createRealm({ queueMicrotask });
if (process.argv[3])
  for (const name of Object.keys(sizes)) if (!process.argv[3].split(',').includes(name)) delete sizes[name];
const contenders = { native, control: { ...native }, realm: transformed(realm) };
const times = {};
for (let round = 0; round < rounds; round++) {
  for (const [program, size] of Object.entries(sizes)) {
    for (const [name, programs] of Object.entries(contenders)) {
      const start = process.hrtime.bigint();
      const outcome = await new Promise((resolve, reject) => programs[program](size).then(resolve, reject));
      ((times[program] ??= {})[name] ??= []).push(Number(process.hrtime.bigint() - start) / 1e6);
      (times[program].outcome ??= outcome) === outcome || console.log('different outcome', program, name, outcome);
    }
  }
}
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
for (const program of Object.keys(sizes)) {
  const base = median(times[program].native);
  console.log(
    program.padEnd(16),
    Object.keys(contenders)
      .map(
        (name) =>
          `${name} ${median(times[program][name]).toFixed(2)} ms (${(median(times[program][name]) / base).toFixed(2)}x)`,
      )
      .join('   '),
  );
}
