// The programs must compute the suite's results, natively and transformed; otherwise ratios of their times mean
// nothing.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { loadProgram, PROGRAMS } from './catalog.ts';
import { createDocument } from './programs/json-document.ts';

const sizes = PROGRAMS.flatMap(({ name, module, verified }) => verified.map((size) => ({ name, module, size })));

describe('natively', () => {
  test.each(sizes)('$name verifies at size $size', async ({ module, size }) => {
    const { newInstance } = await loadProgram(module);
    await expect(Promise.resolve(newInstance().innerBenchmarkLoop(size))).resolves.toBe(true);
  });
});

describe('transformed', async () => {
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [
      '-C',
      'turntable-source',
      '--import',
      'turntable/register',
      fileURLToPath(new URL('./verify.ts', import.meta.url)),
    ],
    { env: { ...process.env, TURNTABLE_EXPLAIN_CLASSIFICATION: '1' } },
  );
  const lines = stdout.trim().split('\n');

  test.each(sizes)('$name verifies at size $size', ({ name, size }) => {
    expect(lines).toContain(`${name} ${size} true`);
  });

  test('every program was rewritten, not merely loaded', () => {
    const files = Number(/^turntable: (\d+) files/m.exec(stderr)?.[1]);
    expect(files).toBeGreaterThan(PROGRAMS.length);
  });
});

test('all fourteen programs of the suite are there', () => {
  expect(PROGRAMS.filter((program) => program.suite === 'awfy').map((program) => program.name)).toEqual(
    'DeltaBlue Richards Json CD Havlak Bounce List Mandelbrot NBody Permute Queens Sieve Storage Towers'.split(' '),
  );
});

test.each(['mandelbrot', 'nbody', 'cd'])('%s refuses a size whose result is not known', async (name) => {
  const { newInstance } = await loadProgram(`programs/${name}`);
  expect(() => newInstance().innerBenchmarkLoop(4)).toThrow(/no expected result for 4 inner iterations; use one of/);
});

test("Json's document has the measures of the suite's own and is the same each time", () => {
  const text = createDocument();
  expect(createDocument()).toBe(text);
  expect(text.length).toBeGreaterThan(25_000);
  expect(text.length).toBeLessThan(27_000);
  expect(text).toContain(String.raw`\"`);
  expect(text).toContain(String.raw`\n\t`);
  const document = JSON.parse(text) as { head: object; operations: unknown[] };
  expect(document.head).toEqual({ requestCounter: 4 });
  expect(document.operations).toHaveLength(156);
});
