// The eighteen programs of the suite that the papers on SOMns use, in their order: micro benchmarks, concurrency
// benchmarks with shared state, and parallel ones with work to divide.

import type { SavinaProgram } from './problem.ts';

export const PROGRAMS: readonly string[] = [
  'PingPong',
  'Counting',
  'ForkJoinThroughput',
  'ForkJoinActorCreation',
  'ThreadRing',
  'Chameneos',
  'BigContention',
  'ConcurrentDictionary',
  'ConcurrentSortedLinkedList',
  'ProducerConsumerBoundedBuffer',
  'Philosophers',
  'SleepingBarber',
  'CigaretteSmokers',
  'LogisticMapSeries',
  'BankTransaction',
  'RadixSort',
  'UnbalancedCobwebbedTree',
  'TrapezoidalApproximation',
];

/** Loads a program. The types of its sizes and results are known only to the program. */
export function loadProgram(name: string): Promise<SavinaProgram<object, unknown>> {
  const file = name.replace(/(?<!^)[A-Z]/g, '-$&').toLowerCase();
  return import(new URL(`./programs/${file}.ts`, import.meta.url).href) as Promise<SavinaProgram<object, unknown>>;
}
