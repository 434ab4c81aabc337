// Tests of the harness: fair rotation, honest intervals, and failures that are never mistaken for results.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { compare, CONTROL, summarise } from './comparison.ts';
import { interleave, pairedRatios, type Lane } from './interleaved.ts';
import { parseOptions, type BenchOptions } from './options.ts';
import { atMost, reportJson, reportText } from './report.ts';
import { freshVariant, processVariant, type Variant } from './session.ts';
import { geomean, geomeanInterval, median, ratioInterval, seededDraws } from './statistics.ts';
import { judgeRatio } from './verdict.ts';

const effort = { full: { rounds: 4, samples: 5, warmup: 3 }, quick: { rounds: 1, samples: 2, warmup: 1 } };
const options = (...args: string[]): BenchOptions => parseOptions(args, effort);

/** A variant that takes `cost` on both clocks and logs when it is opened, sampled and closed. */
function scripted(name: string, cost: number, log: string[] = []): Variant {
  return {
    name,
    async open() {
      log.push(`open ${name}`);
      return {
        async sample() {
          log.push(name);
          return { wall: cost, cpu: cost * 2 };
        },
        async close() {
          log.push(`close ${name}`);
        },
      };
    },
  };
}

describe('statistics', () => {
  test('the median of an even count is the mean of the two in the middle', () => {
    expect(median([9, 1, 5, 3])).toBe(4);
    expect(median([9, 1, 5])).toBe(5);
  });

  test('the geometric mean of a ratio and its inverse is one', () => {
    expect(geomean([4, 0.25])).toBeCloseTo(1, 12);
  });

  test('an interval contains the true ratio of noisy pairs and is reproducible', () => {
    const draw = seededDraws(5);
    const noisy = Array.from({ length: 9 }, () => Array.from({ length: 8 }, () => 1.3 * (0.95 + draw(1000) / 10_000)));
    const interval = ratioInterval(noisy);
    expect(interval.low).toBeLessThan(1.3);
    expect(interval.high).toBeGreaterThan(1.3);
    expect(interval.high - interval.low).toBeLessThan(0.1);
    expect(ratioInterval(noisy)).toEqual(interval);
  });

  test('differences between processes widen the interval, however steady each process is', () => {
    const steady = [1.0, 1.3, 1.0, 1.3, 1.0, 1.3].map((ratio) => Array.from({ length: 50 }, () => ratio));
    const interval = ratioInterval(steady);
    expect(interval.low).toBe(1);
    expect(interval.high).toBe(1.3);
  });

  test('the interval of a geomean contains the geomean of the medians', () => {
    const interval = geomeanInterval([[[1.9, 2, 2.1]], [[0.49, 0.5, 0.51]]]);
    expect(interval.median).toBeCloseTo(1, 12);
    expect(interval.low).toBeLessThan(1);
    expect(interval.high).toBeGreaterThan(1);
  });
});

describe('verdicts', () => {
  const around = (middle: number, spread: number): number[][] =>
    Array.from({ length: 4 }, (_, round) => [0, 1, 2, 3, 4].map((i) => middle + spread * (((round + i) % 5) / 2 - 1)));

  test('a bar is met if the whole interval is below the limit, missed if none of it is, undecided otherwise', () => {
    const quiet = around(1, 0.001);
    expect(judgeRatio('', around(1, 0.005), quiet, 1.01).verdict).toBe('met');
    expect(judgeRatio('', around(1.05, 0.005), quiet, 1.01).verdict).toBe('MISSED');
    expect(judgeRatio('', around(1.01, 0.02), quiet, 1.01).verdict).toBe('undecided');
  });

  test('a bar is undecided if noise can explain the excess', () => {
    expect(judgeRatio('', around(1.05, 0.005), around(1, 0.2), 1.01).verdict).toBe('undecided');
  });

  test('too few pairs are undecided', () => {
    expect(judgeRatio('', [[1, 1, 1]], [[1, 1, 1]], 1.01)).toMatchObject({ verdict: 'undecided' });
  });
});

describe('lanes', () => {
  test('after a stop all lanes have equally many samples', async () => {
    const abortController = new AbortController();
    const lane = (name: string): Lane<string> => ({
      name,
      open: async () => ({
        async sample(step) {
          if (name === 'a' && step === 1) abortController.abort();
          return `${name}${step}`;
        },
        close: async () => {},
      }),
    });
    const all = await interleave(
      [lane('a'), lane('b')],
      { rounds: 3, samples: 3, warmup: 0 },
      { signal: abortController.signal },
    );
    expect(all).toEqual([
      [
        ['a0', 'a1'],
        ['b0', 'b1'],
      ],
    ]);
  });

  test('a ratio pairs samples of the same step', () => {
    expect(
      pairedRatios(
        [
          [
            [1, 2],
            [3, 8],
          ],
        ],
        1,
        0,
        (value) => value,
      ),
    ).toEqual([[3, 4]]);
  });
});

describe('comparison', () => {
  test('every variant is at every position of the order equally often, in new sessions each round', async () => {
    const log: string[] = [];
    const row = { name: 'row', variants: [scripted('a', 10, log), scripted('b', 15, log)] };
    await compare(row, options('--rounds', '2', '--samples', '3', '--warmup', '0'));
    expect(log.join(' ')).toBe(
      'open a open b open a a b a b a a a a b close a close b close a ' +
        'open a open b open a b a a a a b a b a close a close b close a',
    );
  });

  test('ratios are relative to the first variant, and the control is a second copy of it', async () => {
    const row = { name: 'row', variants: [scripted('a', 10), scripted('b', 15)] };
    const result = await compare(row, options());
    expect(result.medians).toEqual({ a: 10, b: 15, [CONTROL]: 10 });
    expect(result.ratios['b']).toEqual({ median: 1.5, low: 1.5, high: 1.5 });
    expect(result.ratios[CONTROL]?.median).toBe(1);
  });

  test('--clock cpu measures CPU time', async () => {
    const result = await compare({ name: 'row', variants: [scripted('a', 10)] }, options('--clock', 'cpu'));
    expect(result.medians['a']).toBe(20);
  });

  test('a failing variant leaves no session open', async () => {
    const log: string[] = [];
    const broken: Variant = { name: 'broken', open: () => Promise.reject(new Error('no such program')) };
    const row = { name: 'row', variants: [scripted('a', 10, log), broken] };
    await expect(compare(row, options())).rejects.toThrow('no such program');
    expect(log).toEqual(['open a', 'close a']);
  });
});

describe('process variants', () => {
  const file = fileURLToPath(new URL('./fixtures/sampled.ts', import.meta.url));
  const child = (behaviour: string): Variant => processVariant({ name: behaviour, file, args: [behaviour] });

  test.each(['sync', 'async', 'chatty'])('a %s program can be sampled repeatedly', async (behaviour) => {
    const session = await child(behaviour).open();
    for (let i = 0; i < 3; i += 1) {
      const sample = await session.sample();
      expect(sample.wall).toBeGreaterThan(0);
      expect(sample.cpu).toBeGreaterThanOrEqual(0);
    }
    await session.close();
  });

  test('a fresh variant starts a new process for each sample', async () => {
    const session = await freshVariant('once', () => Promise.resolve({ name: 'once', file, args: ['once'] })).open();
    for (let i = 0; i < 2; i += 1) expect((await session.sample()).wall).toBeGreaterThan(0);
    await session.close();
  });

  test('an error of the program is a failure that names the variant', async () => {
    const session = await child('wrong').open();
    await expect(session.sample()).rejects.toMatchObject({
      code: 'TT_BENCH_FAILURE',
      message: expect.stringMatching(/variant "wrong" failed: Error: wrong result/) as string,
    });
    await session.close();
  });

  test('a program whose preparation fails is reported at once', async () => {
    await expect(child('unprepared').open()).rejects.toMatchObject({
      code: 'TT_BENCH_FAILURE',
      message: expect.stringContaining('nothing to run') as string,
    });
  });

  test('a process that ends during a sample is a failure, not a hang', async () => {
    const session = await child('dies').open();
    await expect(session.sample()).rejects.toMatchObject({
      code: 'TT_BENCH_PROCESS',
      message: 'variant "dies" ended early (exit code 7)',
    });
    await session.close();
  });
});

describe('a stopped bench', () => {
  test('reports each finished row and prints their table', async () => {
    const bench = spawn(process.execPath, [fileURLToPath(new URL('fixtures/endless.ts', import.meta.url))]);
    let [stderr, stdout] = ['', ''];
    bench.stdout.on('data', (text: Buffer) => (stdout += text.toString()));
    bench.stderr.on('data', (text: Buffer) => {
      stderr += text.toString();
      if (stderr.includes('[2/2] never')) bench.kill();
    });
    expect(await once(bench, 'close')).toEqual([143, null]);
    expect(stderr).toMatch(/\[1\/2\] done.*\n {4}plain [\d.e-]+ ms, control [\d.e-]+ ms = /);
    expect(stdout).toMatch(/^\| done +\|/m);
    expect(stdout).toContain('met    rows: 1.000');
    expect(stdout).toContain('INCOMPLETE: stopped by SIGTERM when 1 of 2 rows and 0 tables were done');
  });
});

describe('options', () => {
  test('quick runs have their own effort, and flags override both', () => {
    expect(options()).toMatchObject({ rounds: 4, samples: 5, warmup: 3, quick: false });
    expect(options('--quick')).toMatchObject({ rounds: 1, samples: 2, warmup: 1, quick: true });
    expect(options('--quick', '--rounds', '9')).toMatchObject({ rounds: 9, samples: 2 });
    expect(parseOptions([], { ...effort, clock: 'cpu' }).clock).toBe('cpu');
    expect(options('--only', 'json', '--only', 'cd').only).toEqual(['json', 'cd']);
  });

  test.each([
    [['--rounds', '0'], '--rounds takes a whole number of at least 1, not "0"'],
    [['--samples', 'many'], '--samples takes a whole number of at least 1, not "many"'],
    [['--clock', 'sun'], '--clock takes wall or cpu, not "sun"'],
  ])('%j is rejected with a reason', (args, message) => {
    expect(() => options(...args)).toThrow(message);
  });
});

describe('report', () => {
  const row = summarise(
    'Json',
    ['native', 'transformed', CONTROL],
    [
      [
        [10, 12],
        [11, 13],
        [10, 12],
      ],
    ],
  );
  const report = {
    bench: 'sample',
    machine: '2 × abacus',
    params: { rounds: 1 },
    rows: [row],
    summaries: [{ name: 'geomean', ratios: row.ratios }],
    bars: [atMost('geomean', 1.09, 1.02), atMost('Json', 1.09, 1.1)],
    tables: [{ title: 'memory', header: ['', 'MiB'], rows: [['Json', '17']] }],
    failures: [{ name: 'CD', error: 'wrong result' }],
  };

  test('the table shows medians, ratios with intervals, missed bars and failures', () => {
    const text = reportText(report);
    expect(text).toContain('| Json    |      11.0 |           12.0 | 1.092 [1.083, 1.100] | 1.000 [1.000, 1.000] |');
    expect(text).toContain('MISSED geomean: 1.090 (limit 1.02)');
    expect(text).toContain('met    Json: 1.090 (limit 1.1)');
    expect(text).toContain('FAILED CD: wrong result');
    expect(text).toContain('memory\n|      | MiB |\n| ---- | --: |\n| Json |  17 |');
  });

  test('--json is one object with bench, machine, params, rows and bars', () => {
    const json = JSON.parse(reportJson(report)) as Record<string, unknown>;
    expect(Object.keys(json)).toEqual(['bench', 'machine', 'params', 'rows', 'bars', 'tables', 'failures']);
    expect(json['bars']).toEqual([
      { what: 'geomean', value: 1.09, limit: 1.02, met: false },
      { what: 'Json', value: 1.09, limit: 1.1, met: true },
    ]);
    expect(json['rows']).toMatchObject([{ name: 'Json', medians: { native: 11 } }, { name: 'geomean' }]);
  });
});
