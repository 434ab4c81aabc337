// Changes that a program makes to host objects are part of its state. Changes by Node and by devices are not, and do
// not alter the hash. Changes that cannot be captured are refused with their path. The interrupted programs are in
// test/programs/fixtures/host-changes.
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
/** Hashes of a file, without the kind of boundary. */
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

test('a program that only uses host objects has not changed them', { timeout: 120_000 }, async () => {
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
  'a state with changed host objects does not drift over many captures and restores',
  { timeout: 300_000 },
  async () => {
    const file = join(fixtures, 'changes.mjs');
    const never = join(scratch, 'never');
    const uninterrupted = await runPart(file, bundle, { to: never, skip: SKIP_ALL, hashes: join(scratch, 'whole') });
    expect(uninterrupted.code, uninterrupted.stderr).toBe(0);
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
    expect(stdout).toBe(uninterrupted.stdout);
    expect(hashesOf(`${n}`).at(-1)).toBe(hashesOf('whole').at(-1));
  },
);

test('a device repeats its changes when it is loaded again', { timeout: 120_000 }, async () => {
  const file = join(fixtures, 'with-device.mjs');
  const { captures, refusals, stderr, ...actual } = await runInterrupted(file, bundle);
  expect(actual, stderr).toEqual(await runProgram(file, 'native'));
  expect(refusals).toEqual([]);
  expect(captures).toBeGreaterThan(2);
});

test.for([
  ['patched-later.mjs', /^node:fs\.statSync: the function .* is not transformed/],
  ['keeps-socket.mjs', /^process\.connection: a [\w:.]*Socket belongs to the host; create it in device\(/],
] as const)(
  'refuses a change that cannot be captured, with its path: %s',
  { timeout: 120_000 },
  async ([name, refusal]) => {
    const file = join(fixtures, name);
    const { refusals, ...actual } = await runInterrupted(file, bundle);
    expect(refusals).toEqual([expect.stringMatching(refusal)]);
    expect(actual.stdout).toBe((await runProgram(file, 'native')).stdout);
  },
);
