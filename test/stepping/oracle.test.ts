// Steps of the time machine lead where those of V8's debugger lead, in random programs, and back again. V8's stops are in
// golden files. For more programs, and to ask V8 again: npm run soak:stepping
import { beforeAll, expect, test, vi } from 'vitest';
import { type Comparison, compare, shareOf, withPrograms } from './comparison.ts';
import { readAnswers } from './golden-answers.ts';
import { askV8 } from './v8-answers.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const SEEDS = Array.from({ length: 25 }, (_, i) => i + 1);
/** Programs for which V8 is asked. */
const ASKED_SEEDS = [1, 5];
const MIN_SHARE = 0.98;

const answers = readAnswers();
let comparison: Comparison;

beforeAll(async () => {
  comparison = await compare(SEEDS, answers);
});

test('moves lead to the same stops as in V8, except the known differences', () => {
  const { differences, vanished } = comparison;
  expect(differences.filter(({ known }) => known === undefined).map(({ text }) => text)).toEqual([]);
  expect(vanished, 'differences to remove from the list').toEqual([]);
  expect(shareOf(comparison)).toBeGreaterThanOrEqual(MIN_SHARE);
  expect(comparison.equal).toBeGreaterThan(SEEDS.length * 40);
});

test('variables have the values that V8 shows, also behind an `await` and a `yield`', () => {
  expect(comparison.variableDifferences).toEqual([]);
  expect(comparison.equalVariables).toBeGreaterThan(SEEDS.length * 10);
});

test('a reverse move leads to the stop before', () => {
  expect(comparison.irreversible).toEqual([]);
});

test.each(ASKED_SEEDS)('the golden file has the answers of V8 for program %i', async (seed) => {
  await withPrograms([seed], async ([program], directory) => {
    expect(await askV8(program as NonNullable<typeof program>, directory)).toEqual(answers.get(seed));
  });
});
