// The programs must compute what every schedule gives; those expectations must agree with the published constants.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadProgram, PROGRAMS } from './catalog.ts';
import { WORKER_SETUPS, savinaOptions, type WorkerSetup } from './options.ts';
import * as bank from './programs/bank-transaction.ts';
import * as smokers from './programs/cigarette-smokers.ts';
import * as list from './programs/concurrent-sorted-linked-list.ts';
import * as series from './programs/logistic-map-series.ts';
import * as buffer from './programs/producer-consumer-bounded-buffer.ts';
import * as radix from './programs/radix-sort.ts';
import * as barber from './programs/sleeping-barber.ts';
import * as trapezoids from './programs/trapezoidal-approximation.ts';
import { Random } from './random.ts';
import type { Verified } from './verify.ts';

test('the catalog has eighteen programs', () => {
  expect(new Set(PROGRAMS).size).toBe(18);
});

async function verified(workerSetup: WorkerSetup): Promise<Verified[]> {
  const hooks = ['-C', 'turntable-source', '--import', 'turntable/register'];
  const file = fileURLToPath(new URL('./verify.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [...hooks, file, workerSetup, ...PROGRAMS]);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Verified);
}

/** Increments every number of the result. */
function changed(result: unknown): unknown {
  const text = JSON.stringify(result).replace(/-?\d+(\.\d+)?/g, (digits) => String(Number(digits) + 1));
  return JSON.parse(text) as unknown;
}

describe.each(WORKER_SETUPS)('on %s', (workerSetup) => {
  let results: readonly Verified[] = [];
  beforeAll(async () => {
    results = await verified(workerSetup);
  });

  test.each(PROGRAMS)('%s computes the expected result, and its check rejects other results', async (name) => {
    const { result } = results.find((each) => each.name === name)!;
    const { problem, verify } = await loadProgram(name);
    expect(verify(result, problem.small)).toBe(true);
    expect(verify(changed(result), problem.small)).toBe(false);
  });

  test.each(PROGRAMS)('%s handles the declared number of messages', (name) => {
    const { messages, turns } = results.find((each) => each.name === name)!;
    expect(turns).toBe(messages);
  });
});

describe('the expected result equals the published constant', () => {
  const workers = { writes: 10, sizes: 1 };
  test.each([
    [10, 20, 18],
    [10, 100, 106],
    [10, 300, 292],
    [10, 500, 476],
    [10, 1000, 992],
    [10, 1500, 1496],
    [20, 1000, 1959],
    [20, 2000, 3956],
  ])('ConcurrentSortedLinkedList, %i workers, %i messages', (count, messages, size) => {
    expect(list.expected({ workers: count, messages, ...workers })).toBe(size);
  });

  test.each([
    [5, 10, -654_026],
    [10, 60, -43_522_486],
    [10, 80, -77_056_204],
    [20, 80, -154_112_409],
    [20, 100, -240_206_069],
    [40, 100, -480_412_139],
    [10, 600, -4_288_035_081],
  ])('ProducerConsumerBoundedBuffer, %i producers, %i items', (producers, items, sum) => {
    expect(buffer.expected({ buffer: 40, producers, consumers: producers, items })).toBe(sum);
  });

  test.each([
    [800, 200, 11_357],
    [1000, 500, 5029],
    [2500, 500, 16_033],
    [2500, 1000, 32_109],
    [5000, 1000, 32_109],
  ])('SleepingBarber, %i haircuts, rate %i', (haircuts, rate, next) => {
    expect(barber.expected({ haircuts, seats: 1000, arrivalRate: rate, cuttingRate: rate })).toBe(next);
  });

  test.each([
    [1000, 50_272],
    [2000, 11_088],
    [10_000, 53_968],
  ])('CigaretteSmokers, %i rounds', (rounds, next) => {
    expect(smokers.expected({ rounds, smokers: 200 })).toBe(next);
  });

  test.each([
    [2000, 10, 6_387_835],
    [25_000, 10, 6_387_835],
    [25_000, 20, 11_022_424],
  ])('LogisticMapSeries, %i terms, %i series', (terms, count, sum) => {
    expect(series.expected({ terms, series: count, rate: 3.46 })).toBe(sum);
  });

  test.each([
    [1000, 516_215],
    [10_000, 4_975_454],
    [50_000, 25_057_792],
    [100_000, 50_038_643],
    [500_000, 250_052_558],
  ])('BankTransaction, %i transactions', (transactions, moved) => {
    expect(bank.expected({ accounts: 1000, transactions })).toBe(moved);
  });

  test.each([
    [100, 256, 13_606],
    [10_000, 65_536, 329_373_752],
    [50_000, 65_536, 1_642_300_184],
  ])('RadixSort, %i values below %i', (values, max, sum) => {
    expect(radix.expected({ values, max, seed: 74_755 })).toBe(sum);
  });

  test.each([
    [2500, 27_107_880],
    [5000, 27_108_026],
    [10_000, 27_108_063],
    [100_000, 27_108_075],
    [1_000_000, 27_108_075],
  ])('TrapezoidalApproximation, %i pieces', (pieces, area) => {
    expect(trapezoids.expected({ parts: 100, workers: 1, pieces, left: 1, right: 5 })).toBe(area);
  });
});

test('the generator draws the numbers of the suite', () => {
  const random = new Random();
  expect(Array.from({ length: 4 }, () => random.next())).toEqual([22_896, 34_761, 34_014, 39_231]);
});

test('normally distributed numbers have mean 0 and deviation 1', () => {
  const random = new Random();
  const drawn = Array.from({ length: 10_000 }, () => random.gaussian());
  const mean = drawn.reduce((sum, each) => sum + each, 0) / drawn.length;
  expect(Math.abs(mean)).toBeLessThan(0.05);
  expect(drawn.filter((each) => Math.abs(each) < 1).length / drawn.length).toBeCloseTo(0.68, 1);
});

test('the command line rejects unknown values with a reason', () => {
  expect(savinaOptions(['--on', 'one']).on).toEqual(['one']);
  expect(savinaOptions([]).on).toEqual(['main', 'one', 'two']);
  expect(() => savinaOptions(['--on', 'three'])).toThrow('--on takes main, one, two, not "three"');
  expect(() => savinaOptions(['--samples', '0'])).toThrow('--samples takes a whole number of at least 1, not "0"');
});
