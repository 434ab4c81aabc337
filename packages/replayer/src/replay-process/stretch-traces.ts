// The stretches in which somebody wants to move about, each with all of its statements: those of the last way only.
import type { Loader } from '../thread/loader.ts';
import type { NumberedStretchTrace } from '@turntable/time-machine/replay-process';
import { whenSent } from './sends.ts';
import { StretchTrace } from './stretch-trace.ts';

export class StretchTraces {
  /** Of the stretch that runs, if it is wanted. */
  current: StretchTrace | undefined;
  readonly #all = new Map<number, StretchTrace>();
  /** Since it was told for the so-manieth time how far to go. */
  #since = 0;
  #areSendsNoted = false;

  /** @param goes so often it was told how far to go */
  begin(begun: number, goes: number, statementOf: Loader['statementOf']): void {
    if (!this.#areSendsNoted) whenSent((actor, method) => this.current?.sends(actor, method));
    this.#areSendsNoted = true;
    if (this.#since !== goes) this.#all.clear();
    this.#since = goes;
    this.current = new StretchTrace(statementOf);
    this.#all.set(begun, this.current);
  }

  told(): NumberedStretchTrace[] {
    return Array.from(this.#all, ([begun, trace]) => ({ begun, ...trace.told() }));
  }
}
