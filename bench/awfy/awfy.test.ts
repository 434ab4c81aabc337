// The programs compute what the suite says they must; without that a ratio of times means nothing.

import { expect, test } from 'vitest';
import { PROGRAMS, type ProgramModule } from './catalog.ts';
import { loadNative } from './run-native.ts';
import { createDocument } from './programs/json-document.ts';
import { loadTransformed } from './run-transformed.ts';

const fileOf = (module: string): URL => new URL(`./${module}.ts`, import.meta.url);

function native(module: string): Promise<ProgramModule> {
  return loadNative(fileOf(module));
}

const cases = PROGRAMS.flatMap((program) => program.verified.map((size) => ({ ...program, size })));

test.each(cases)('$name verifies natively at size $size', async ({ module, size }) => {
  const { newInstance } = await native(module);
  await expect(Promise.resolve(newInstance().innerBenchmarkLoop(size))).resolves.toBe(true);
});

test.each(cases)('$name verifies transformed at size $size', async ({ module, size }) => {
  const { newInstance } = await loadTransformed(fileOf(module));
  await expect(Promise.resolve(newInstance().innerBenchmarkLoop(size))).resolves.toBe(true);
});

test('all fourteen programs of the suite are there', () => {
  expect(PROGRAMS.filter((program) => program.suite === 'awfy').map((program) => program.name)).toEqual([
    'DeltaBlue',
    'Richards',
    'Json',
    'CD',
    'Havlak',
    'Bounce',
    'List',
    'Mandelbrot',
    'NBody',
    'Permute',
    'Queens',
    'Sieve',
    'Storage',
    'Towers',
  ]);
});

test.each(['mandelbrot', 'nbody', 'cd'])('%s refuses a size whose result is not known', async (name) => {
  const { newInstance } = await native(`programs/${name}`);
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
