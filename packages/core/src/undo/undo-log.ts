// By this the state of a thread goes back to what it was when a stretch began, in time proportional to what has been written since and not to
// the heap: before something changes, what it was like is noted, and played backwards. Who notes: barriers in code of debug mode
// (transform's write-barriers.ts), the methods of the language that change something (mutators.ts), core where its own objects change
// (journal.ts). docs/undo.md says what is noted where, and what cannot be undone: then the log says so, and a state is to be restored.
//
// A log is a chain of stretches. What an object was like is noted once in each, so any number of them can be undone, the last first.

import { BothListeners } from './both-listeners.ts';
import { journal } from './journal.ts';
import { type Mutators, replaceMutators, type WriteListener } from './mutators.ts';
import { Stretch } from './stretch.ts';
import type { Realm } from '../realm.ts';
import type { StatementClock } from '../statement-clock.ts';

export interface Listening {
  /** Is told of each frame of an async function that is about to begin or to go on. */
  readonly runs?: (frame: object) => void;
  /** The listener is told of what a stretch notes as well. */
  readonly isBeside?: boolean;
}

export class UndoLog {
  readonly #clock: StatementClock;
  readonly #stretches: Stretch[] = [];
  readonly #undone: { readonly back: Stretch; readonly was: Stretch }[] = [];
  /** The stretch that is being noted. */
  #now: Stretch | undefined;
  /** Who is told of writes while no stretch is noted, or at any time. */
  #listener: WriteListener | undefined;
  #isBeside = false;
  /** Who is told of them now. */
  #told: WriteListener | undefined;

  /**
   * `runScript` runs a text as a script of the context whose code is undone, `clock` is that context's. To be made before any code of the program runs, and before it is noted
   * what the language's objects are like: methods of theirs are replaced, and `mutators`, which are the host's. There is one log in a context; whose stretches it is of, `begin` is told.
   */
  constructor(clock: StatementClock, runScript: (text: string) => unknown, mutators: readonly Mutators[] = []) {
    this.#clock = clock;
    journal.isExpected = true;
    replaceMutators(() => this.#told as WriteListener, runScript, mutators);
  }

  /** How many stretches can be undone. */
  get depth(): number {
    return this.#stretches.length;
  }

  /** Bytes that all of them keep, roughly. */
  get weight(): number {
    let sum = 0;
    for (let i = 0; i < this.#stretches.length; i++) sum += (this.#stretches[i] as Stretch).weight;
    return sum;
  }

  /** Why the last of them cannot be undone, if it cannot. */
  get obstacle(): string | undefined {
    return this.#last?.obstacle;
  }

  /** Whether all that the last one has changed can be given back by now: nothing of that was frozen, and no collection that is to be filled anew is gone through. */
  get isReversible(): boolean {
    return this.#last?.isReversible !== false;
  }

  get #last(): Stretch | undefined {
    return this.#stretches[this.#stretches.length - 1];
  }

  /** A stretch begins: with no code of the program on the stack, or with such as will go on only after this one has been undone. */
  begin(realm: Realm): void {
    this.#undone.length = 0;
    this.#begin(new Stretch(realm));
  }

  #begin(stretch: Stretch): void {
    stretch.queues();
    this.#stretches[this.#stretches.length] = stretch;
    this.#note(stretch);
  }

  /** The same, for a stretch that is undone before anything else is undone, redone or begun. It may begin during another stretch. */
  aside(realm: Realm): void {
    const stretch = new Stretch(realm);
    stretch.isAside = true;
    this.#begin(stretch);
  }

  /** From now on nothing is noted: no code of the program may run before the next stretch begins, or this one goes on. */
  pause(): void {
    this.#note(undefined);
  }

  /** The last stretch goes on, as when one that began in its midst has been undone. */
  goOn(): void {
    this.#note(this.#last);
  }

  /** Gives up the oldest stretches until those that are left keep no more than so many bytes, or one is left. */
  keepWithin(bytes: number): void {
    let { weight } = this;
    let count = 0;
    for (; weight > bytes && count < this.depth - 1; count++) weight -= (this.#stretches[count] as Stretch).weight;
    if (count > 0) this.forget(count);
  }

  /** The oldest stretches can no longer be undone. */
  forget(count: number): void {
    const stretches = this.#stretches;
    for (let i = count; i < stretches.length; i++) stretches[i - count] = stretches[i] as Stretch;
    stretches.length = Math.max(0, stretches.length - count);
    if (stretches.length === 0) this.pause();
  }

  /**
   * Gives everything back that the last stretch has changed; the one before it is the last then, and nothing is noted until the next begins. Answers
   * the objects that could not be given back what they were like, as one that was frozen: the state is the one it was only if nothing leads
   * to them, as to objects that the stretch itself has made. Not to be called if there is an obstacle. To be redone, twice as much is noted.
   */
  undo(isToBeRedone = false): readonly object[] {
    const stretch = this.#last;
    if (stretch === undefined) throw new RangeError('undo: no stretch has begun that is still to be undone.');
    if (stretch.obstacle !== undefined)
      throw new RangeError(`undo: the stretch cannot be undone, because ${stretch.obstacle}. Restore a state instead.`);
    this.pause();
    this.#stretches.length--;
    const { left, back } = this.apart(() => stretch.undo(isToBeRedone));
    if (stretch.isAside) return left;
    if (back === undefined) this.#undone.length = 0;
    else this.#undone[this.#undone.length] = { back, was: stretch };
    return left;
  }

  /** Undoes the last stretch again after it was re-executed, at least in part: if the same happened, nothing new need be noted. */
  undoAgain(): readonly object[] {
    this.pause();
    return this.apart(() => this.#undone[this.#undone.length - 1]?.was.undo(false).left) ?? [];
  }

  /** How many stretches can be done again: those that were undone since the last one began. */
  get undone(): number {
    return this.#undone.length;
  }

  /** Does the stretch again that was undone last, without running anything: what it made is what it was. It can be undone as before. */
  redo(): readonly object[] {
    const undone = this.#undone[this.#undone.length - 1];
    if (undone === undefined) throw new RangeError('redo: no stretch has been undone since the last one began.');
    this.pause();
    this.#undone.length--;
    const { left, back } = this.apart(() => undone.back.undo(true));
    this.#stretches[this.#stretches.length] = back as Stretch;
    return left;
  }

  /** How many stretches ago, at least `before`, a part of an object may have been written last: 1 is the last stretch that can be undone; undefined for none. */
  mentioned(object: object, key: unknown, before = 1): number | undefined {
    const stretches = this.#stretches;
    let ago = 0;
    for (let i = stretches.length - 1; i >= 0; i--) {
      const stretch = stretches[i] as Stretch;
      if (!stretch.isAside && ++ago >= before && stretch.mentions(object, key)) return ago;
    }
    return undefined;
  }

  /** Runs what is not to be noted; playing back is such: of private members it is by accessors of the program's, which have barriers. */
  apart<T>(run: () => T): T {
    const before = this.#now;
    const listener = this.#listener;
    this.#listener = undefined;
    this.pause();
    try {
      return run();
    } finally {
      this.#listener = listener;
      this.#note(before);
    }
  }

  /** From now on somebody is told of all that the program writes, wherever no stretch is noted. Nobody, if nothing is given. */
  listen(listener: WriteListener | undefined, { runs, isBeside = false }: Listening = {}): void {
    journal.runs = runs;
    this.#listener = listener;
    this.#isBeside = isBeside;
    this.#note(this.#now);
  }

  #note(stretch: Stretch | undefined): void {
    this.#now = stretch;
    const listener = this.#listener;
    const areBoth = stretch !== undefined && listener !== undefined && this.#isBeside;
    this.#told = areBoth ? new BothListeners(stretch, listener) : (stretch ?? listener);
    this.#clock.watchWrites(this.#told);
    journal.log = stretch;
  }
}
