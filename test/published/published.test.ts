// A few of the tests that packages publish, recorded and replayed; the results must be those on Node alone. For all
// tests in all modes: npm run published.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { compareFile } from './compare.ts';
import { PACKAGES } from './packages.ts';
import { stagePackage } from './stage.ts';
import { parseTap } from './tap.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-published-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe.each(PACKAGES.filter(({ smokeFiles }) => smokeFiles !== undefined))('the tests of $name', (published) => {
  const staged = stagePackage(published, join(directory, published.name));

  it.each(published.smokeFiles ?? [])(
    '%s has the same results recorded and replayed as on Node alone',
    { timeout: 120_000 },
    async (file) => {
      expect(staged.files).toContain(file);
      const modes = ['recorded', 'replayed'] as const;
      const { tests, compared } = await compareFile(modes, {
        directory: staged.directory,
        file,
        style: published.style,
      });
      expect(tests).toBeGreaterThan(0);
      expect(compared.map(({ mode, same, different }) => ({ mode, same, different }))).toEqual(
        modes.map((mode) => ({ mode, same: tests, different: [] })),
      );
    },
  );
});

it('replays the interaction of Node’s test runner and a program in its order', async () => {
  const subject = { directory: import.meta.dirname, file: 'fixtures/runner.cjs', style: 'node:test' } as const;
  const { tests, compared } = await compareFile(['recorded', 'replayed'], subject);
  expect(compared.map(({ same, different }) => ({ same, different }))).toEqual([
    { same: tests, different: [] },
    { same: tests, different: [] },
  ]);
  expect(tests).toBe(5);
});

it('parses TAP lines between other output', () => {
  const text = `# Subtest: outer
printed
    # Subtest: inner
    not ok 1 - inner
      ---
      error: ok 1 - no
    # Subtest: left out
    ok 2 - left out # SKIP not here
    1..2
not ok 1 - outer
ok 2 - later # TODO`;
  expect(parseTap(text)).toEqual([
    { name: 'outer > inner', outcome: 'failed' },
    { name: 'outer > left out', outcome: 'skipped' },
    { name: 'outer', outcome: 'failed' },
    { name: 'later', outcome: 'todo' },
  ]);
});
