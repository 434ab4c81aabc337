// What a program may rely on when it is interrupted: one program for each promise, interrupted again and again. Its
// state must not drift.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runProgram } from '../../programs/run-program.ts';
import { bundleTurntable, type InterruptionBundle } from './bundle.ts';
import { INTERRUPTED_EXIT_CODE, SKIP_ALL, runInterrupted, runPart } from './run-interrupted.ts';

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'turntable-behaviour-'));
let bundle: InterruptionBundle;
beforeAll(async () => {
  bundle = await bundleTurntable();
});
afterAll(() => {
  bundle.remove();
  rmSync(scratch, { recursive: true });
});

const programs = '../../../programs/fixtures';
const promises: readonly (readonly [promise: string, file: string])[] = [
  ['evaluates every module once', 'evaluated-once/main.mjs'],
  ['keeps two instances of one file apart', 'instances/main.mjs'],
  ['imports modules that were loaded, not loaded or failed before', 'dynamic-import/main.mjs'],
  ['finds CommonJS modules in cycles and in the cache', 'commonjs-cycle/main.cjs'],
  ['resumes all modules that wait', 'waiting-modules/main.mjs'],
  ['calls the listeners of the process and keeps its exit code', 'listeners-and-exit-code.cjs'],
  ['dies of the same error at the same source position', 'uncaught-error.mjs'],
  ['keeps its stack formatter', 'stack-formatter.cjs'],
  ['reports rejections that are unhandled or handled late', 'unhandled-rejections.cjs'],
  ['reports them when no tick is left', `${programs}/promises/rejections-between-ticks.js`],
  ['dies of an unhandled rejection, with or without ticks', `${programs}/exits/unhandled-between-ticks.js`],
  ['loads no network code that it does not use', 'network-classes-never-asked-for.mjs'],
  ['finds network classes on late first use', 'network-classes-used-late.mjs'],
  ['finds its replacements of network classes that were never read', 'network-classes-replaced.cjs'],
  ['keeps variables uninitialised that a throwing module left so', `${programs}/tdz/left-by-a-throw.cjs`],
  ['keeps replaced prototypes of classes', `${programs}/classes/prototype-of-a-class-replaced.js`],
];

test.for(promises)('an interrupted program %s', { timeout: 300_000 }, async ([, file]) => {
  const path = join(fixtures, file);
  const expected = await runProgram(path, 'native');
  const { captures, refusals, stderr, ...actual } = await runInterrupted(path, bundle, {
    skip: (n) => (n < 4 ? 0 : n),
    maxCaptures: 8,
  });
  expect(actual, stderr).toEqual(expected);
  expect(refusals).toEqual([]);
  expect(captures).toBeGreaterThan(3);
});

test('a state does not drift over many captures and restores', { timeout: 300_000 }, async () => {
  const file = join(fixtures, 'long-life.mjs');
  const hashesOf = (name: string): string[] => readFileSync(join(scratch, name), 'utf8').trim().split('\n');
  const to = join(scratch, 'never');
  const uninterrupted = await runPart(file, bundle, { to, skip: SKIP_ALL, hashes: join(scratch, 'whole') });
  expect(uninterrupted.code, uninterrupted.stderr).toBe(0);
  const expected = hashesOf('whole');
  expect(expected.length).toBeGreaterThan(100);

  const state = (n: number): string => join(scratch, `state-${n}`);
  let stdout = '';
  let n = 0;
  for (; ; n++) {
    const from = n === 0 ? undefined : state(n);
    const part = await runPart(file, bundle, { from, to: state(n + 1), skip: 25, hashes: join(scratch, `${n}`) });
    stdout += part.stdout;
    if (part.code !== INTERRUPTED_EXIT_CODE) break;
  }
  expect(n).toBeGreaterThan(3);
  expect(stdout).toBe(uninterrupted.stdout);
  expect(hashesOf(`${n}`).at(-1)).toBe(expected.at(-1));
  // The hashes at boundaries on the way also match.
  expect(expected).toEqual(expect.arrayContaining(hashesOf('1')));
});

test('refuses a state of another version and names both versions', { timeout: 120_000 }, async () => {
  const [to, from] = [join(scratch, 'state'), join(scratch, 'other')];
  const file = join(fixtures, 'evaluated-once/main.mjs');
  expect((await runPart(file, bundle, { to })).code).toBe(INTERRUPTED_EXIT_CODE);
  const bytes = readFileSync(to);
  for (const changes of [{ transform: '0/other' }, { node: 'v22.0.0' }]) {
    writeFileSync(from, withHead(bytes, changes));
    const { code, stdout, stderr } = await runPart(file, bundle, { from, to, skip: SKIP_ALL });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('TT_STATE');
    expect(stderr).toMatch(
      /^ {2}(?:Node(?:\.js)?|transform of Turntable): captured with \S+, now \S+\nuse the captured versions$/m,
    );
  }
});

/** Replaces fields of the state's head; its layout is in docs/internals/formats.md, "Programs". */
function withHead(bytes: Buffer, changes: object): Buffer {
  const end = bytes.length - 8;
  const at = end - bytes.readUInt32LE(end);
  const head = JSON.parse(bytes.toString('utf8', at, end)) as object;
  const text = Buffer.from(JSON.stringify({ ...head, ...changes }));
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(text.length, 0);
  trailer.writeUInt32LE(crc32(text), 4);
  return Buffer.concat([bytes.subarray(0, at), text, trailer]);
}
