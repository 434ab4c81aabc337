// Programs and sizes: as published and, where the published size does something else than intended, corrected. Sizes
// are large enough that a worker takes part in a snapshot before it is done.

/** A program and its size. */
export interface SavinaCase {
  readonly program: string;
  readonly size: object;
}

/** A line of output. */
export type SavinaOutputLine =
  | { readonly halfway: string; readonly phase: number | null }
  | { readonly over: string }
  | { readonly results: readonly (readonly [id: string, result: unknown])[] };

const CASE_SIZES: readonly (readonly [program: string, size: object, corrected?: object])[] = [
  ['PingPong', { pings: 10_000 }],
  ['Counting', { limit: 50_000 }],
  ['ForkJoinThroughput', { actors: 500, messages: 60 }, { actors: 60, messages: 1000 }],
  ['ForkJoinActorCreation', { actors: 2000 }],
  ['ThreadRing', { actors: 100, pings: 20_000 }],
  ['Chameneos', { meetings: 100, creatures: 2000 }, { meetings: 10_000, creatures: 100 }],
  ['BigContention', { actors: 500, pings: 60 }, { actors: 60, pings: 500 }],
  [
    'ConcurrentDictionary',
    { workers: 10, messages: 500, writes: 20, keys: 512 },
    { workers: 10, messages: 1000, writes: 10, keys: 50_000 },
  ],
  ['ConcurrentSortedLinkedList', { workers: 10, messages: 500, writes: 10, sizes: 1 }],
  ['ProducerConsumerBoundedBuffer', { buffer: 40, producers: 5, consumers: 5, items: 60 }],
  ['Philosophers', { philosophers: 20, rounds: 300, reach: 2 }, { philosophers: 20, rounds: 300, reach: 1 }],
  ['SleepingBarber', { haircuts: 400, seats: 200, arrivalRate: 200, cuttingRate: 200 }],
  ['CigaretteSmokers', { rounds: 1000, smokers: 200 }],
  ['LogisticMapSeries', { terms: 1000, series: 10, rate: 3.46 }],
  ['BankTransaction', { accounts: 500, transactions: 2000 }],
  ['RadixSort', { values: 5000, max: 65_536, seed: 74_755 }],
  ['UnbalancedCobwebbedTree', { nodes: 3000, children: 10, computation: 500, deviation: 100 }],
  [
    'TrapezoidalApproximation',
    { parts: 100, workers: 1, pieces: 500_000, left: 1, right: 5 },
    { parts: 100, workers: 100, pieces: 500_000, left: 1, right: 5 },
  ],
];

export const CASES: Readonly<Record<string, SavinaCase>> = Object.fromEntries(
  CASE_SIZES.flatMap(([program, size, corrected]) => [
    [program, { program, size }],
    ...(corrected === undefined ? [] : [[`${program}, corrected`, { program, size: corrected }]]),
  ]),
) as Record<string, SavinaCase>;

/** Sizes of tens of milliseconds for many runs in sequence, as small as a comparison of speed allows. */
export const BRIEF_SIZES: Readonly<Record<string, object>> = {
  PingPong: { pings: 500 },
  Counting: { limit: 2000 },
  ForkJoinThroughput: { actors: 60, messages: 60 },
  ForkJoinActorCreation: { actors: 300 },
  ThreadRing: { actors: 100, pings: 1000 },
  Chameneos: { meetings: 500, creatures: 100 },
  BigContention: { actors: 30, pings: 50 },
  ConcurrentDictionary: { workers: 10, messages: 100, writes: 10, keys: 512 },
  ConcurrentSortedLinkedList: { workers: 10, messages: 60, writes: 10, sizes: 1 },
  ProducerConsumerBoundedBuffer: { buffer: 40, producers: 5, consumers: 5, items: 20 },
  Philosophers: { philosophers: 20, rounds: 30, reach: 1 },
  SleepingBarber: { haircuts: 60, seats: 30, arrivalRate: 50, cuttingRate: 50 },
  CigaretteSmokers: { rounds: 60, smokers: 50 },
  LogisticMapSeries: { terms: 200, series: 10, rate: 3.46 },
  BankTransaction: { accounts: 50, transactions: 300 },
  RadixSort: { values: 500, max: 65_536, seed: 74_755 },
  UnbalancedCobwebbedTree: { nodes: 500, children: 10, computation: 50, deviation: 10 },
  TrapezoidalApproximation: { parts: 100, workers: 10, pieces: 20_000, left: 1, right: 5 },
};
