/*
 * What a program changes of the host's objects is state, what Node and devices do to them is not: it makes no other hash, and what cannot
 * be carried is refused by its path. test/programs/fixtures/host-changes has the programs that are interrupted.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runProgram } from '../../programs/run-program.ts';
import { bundleTurntable, type InterruptionBundle } from './bundle.ts';
import { INTERRUPTED_EXIT_CODE, SKIP_ALL, runInterrupted, runPart } from './run-interrupted.ts';

const fixtures = fileURLToPath(new URL('fixtures/host-changes/', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'turntable-host-changes-'));
/** Each without what it was taken after. */
const hashesOf = (name: string): string[] =>
  [...readFileSync(join(scratch, name), 'utf8').matchAll(/^\w+ (\w+)$/gm)].map(([, hash]) => String(hash));
let bundle: InterruptionBundle;
beforeAll(async () => {
  bundle = await bundleTurntable();
});
afterAll(() => {
  bundle.remove();
  rmSync(scratch, { recursive: true });
});

test('a program that uses the host has changed nothing of it', { timeout: 120_000 }, async () => {
  const hashes: (string | undefined)[] = [];
  for (const uses of ['0', '1']) {
    process.env['USES'] = uses;
    const settings = { to: join(scratch, 'never'), skip: SKIP_ALL, hashes: join(scratch, `uses-${uses}`) };
    const { code, stderr } = await runPart(join(fixtures, 'uses.mjs'), bundle, settings);
    expect(code, stderr).toBe(0);
    hashes.push(hashesOf(`uses-${uses}`).at(-1));
  }
  delete process.env['USES'];
  expect(hashes[1]).toBe(hashes[0]);
});

test(
  'a state with changes of the host is the same however often it is written and read',
  { timeout: 300_000 },
  async () => {
    const file = join(fixtures, 'changes.mjs');
    const never = join(scratch, 'never');
    const whole = await runPart(file, bundle, { to: never, skip: SKIP_ALL, hashes: join(scratch, 'whole') });
    expect(whole.code, whole.stderr).toBe(0);
    const state = (n: number): string => join(scratch, `state-${n}`);
    let [stdout, n] = ['', 0];
    for (; ; n++) {
      const from = n === 0 ? undefined : state(n);
      const part = await runPart(file, bundle, { from, to: state(n + 1), skip: 3, hashes: join(scratch, `${n}`) });
      stdout += part.stdout;
      if (part.code !== INTERRUPTED_EXIT_CODE) break;
      expect(hashesOf('whole')).toEqual(expect.arrayContaining(hashesOf(`${n}`)));
    }
    expect(n).toBeGreaterThan(2);
    expect(stdout).toBe(whole.stdout);
    expect(hashesOf(`${n}`).at(-1)).toBe(hashesOf('whole').at(-1));
  },
);

test('what a device changes when it is loaded, it changes again', { timeout: 120_000 }, async () => {
  const file = join(fixtures, 'with-device.mjs');
  const { captures, refusals, stderr, ...got } = await runInterrupted(file, bundle);
  expect(got, stderr).toEqual(await runProgram(file, 'native'));
  expect(refusals).toEqual([]);
  expect(captures).toBeGreaterThan(2);
});

test.for([
  ['patched-later.mjs', /^node:fs\.statSync: the function .* is not transformed/],
  ['keeps-socket.mjs', /^process\.connection: a [\w:.]*Socket belongs to the host; make it behind a device/],
] as const)('what cannot be carried is refused by its path: %s', { timeout: 120_000 }, async ([name, refusal]) => {
  const file = join(fixtures, name);
  const { refusals, ...got } = await runInterrupted(file, bundle);
  expect(refusals).toEqual([expect.stringMatching(refusal)]);
  expect(got.stdout).toBe((await runProgram(file, 'native')).stdout);
});
