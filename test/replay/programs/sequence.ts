// Two chains of timers of a millisecond, in two actors, tell a third of each step: whether they alternate is up to the clocks.

import { tell, type FarRef } from 'turntable';
import { spawn } from './spawn.ts';

const STEPS = 100;

export class Log {
  #steps = '';
  readonly #done = Promise.withResolvers<string>();

  step(who: string): void {
    this.#steps += who;
    if (this.#steps.length === 2 * STEPS) this.#done.resolve(this.#steps);
  }

  whole(): Promise<string> {
    return this.#done.promise;
  }
}

export class Chain {
  readonly #who: string;
  readonly #log: FarRef<Log>;

  constructor(who: string, log: FarRef<Log>) {
    this.#who = who;
    this.#log = log;
  }

  ready(): void {}

  go(left = STEPS): void {
    tell(this.#log).step(this.#who);
    if (left > 1) setTimeout(() => this.go(left - 1), 1);
  }
}

export async function run(): Promise<unknown> {
  const log = spawn(Log);
  const chains = ['A', 'B'].map((who) => spawn(Chain, who, log));
  await Promise.all(chains.map((chain) => chain.ready()));
  for (const chain of chains) tell(chain).go();
  const steps = await log.whole();
  return { alternates: /^(?:AB)*$|^(?:BA)*$/.test(steps), steps };
}
