// The eighteen programs of the suite that the papers on SOMns use, in their order: small ones that show the cost of one thing, ones that
// share something, ones that have work to divide.

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

/** Its sizes and results fit each other, whatever they are. */
export function loadProgram(name: string): Promise<SavinaProgram<object, unknown>> {
  const file = name.replace(/(?<!^)[A-Z]/g, '-$&').toLowerCase();
  return import(new URL(`./programs/${file}.ts`, import.meta.url).href) as Promise<SavinaProgram<object, unknown>>;
}
