// The tape of a worker in a replay: its trace, event by event. Requests are answered from it, entries are performed at their positions, and the scheduler
// takes its ingests. Where the program or the scheduler does something else than the next event, the run has diverged and stops.

import type { CalledFrom, Chaining, PerformEntry, Steps, TapePlayer, TapeValue } from '@turntable/core';
import type { EntryEvent, TraceEvent, TraceSource } from '@turntable/recording';
import { sourceName } from '@turntable/recording/sources';
import { SOURCES } from '@turntable/recording/sources';
import { RuntimeError } from '../runtime-error.ts';
import type { RoundCount } from './recording-tape.ts';

/** Why nothing of the program goes on. */
export interface Halt {
  /** It has come to its end as it did; the trace stops there; it is not what it was. */
  readonly why: 'ended' | 'cut off' | 'diverged';
  /** So many were taken; of others, so many messages. */
  readonly events: number;
  readonly messages: number;
  readonly turns: number;
  /** Between two turns, with nothing of the program on the stack and nothing left to do. */
  readonly isBetween?: boolean;
  readonly divergence?: Divergence;
  readonly error?: RuntimeError;
}

/** Where a run is not what it was: plain data. */
export interface Divergence {
  /** Of the event in its trace, counted from 1. */
  readonly ordinal: number;
  /** What was, and what is, each as the rest of a sentence. */
  readonly expected: string;
  readonly actual: string;
  /** Whose code was running, and after how many turns of the worker. */
  readonly actor: string;
  readonly turn: number;
  readonly stack: string | undefined;
}

export interface FollowingPorts {
  /** Of Node's: a macrotask of its own, the queue of microtasks, that of ticks. */
  later(callback: () => void): void;
  soon(callback: () => void): void;
  next?(callback: () => void): void;
  /** An entry that is performed before a step has thrown: Node is to be told so as if nothing of the step were on the stack. */
  uncaught?(error: unknown): void;
  /** The entry point has not begun to run: nothing was taken before it did, though something was asked (where what it imports is). */
  isAwaited?(): boolean;
  /** For who looks on: an entry is about to be performed; once more if it could not be. */
  entry?(entry: EntryEvent): void;
  /** A tick or jobs are about to run, in a turn or outside of all. */
  step?(): void;
  /** Once. */
  halted?(halt: Halt): void;
  /** The thread ends here, in the middle of the program; answers only if it cannot. */
  end?(): void;
}

/** The worker's scheduler, as its tape knows it. */
export interface Follower {
  readonly rounds: RoundCount;
  readonly turns: number;
  /** Whether any is left to be had. */
  readonly hasTurns: boolean;
  /** Messages of other workers that were taken. */
  readonly messages: number;
  /** Whose code runs. */
  whose(): string;
  wake(): void;
  hold(): void;
}

interface Performer {
  readonly perform: PerformEntry;
  from(value: TapeValue): CalledFrom;
  chaining?(value: TapeValue): Chaining;
}

/** Who calls from Node's microtasks as well, several times in a row. */
const CHAINED: ReadonlySet<number> = new Set([SOURCES.device, SOURCES.settled, SOURCES.promise]);

/** Until there is a scheduler. */
const NOBODY: Follower = {
  rounds: { count: 0 },
  turns: 0,
  hasTurns: false,
  messages: 0,
  whose: () => 'the main program',
  wake() {},
  hold() {},
};

export class FollowingTape implements TapePlayer {
  readonly isReplay = true;
  readonly #source: TraceSource;
  readonly #ports: FollowingPorts;
  readonly #performers = new Map<number, Performer>();
  #follower = NOBODY;
  #steps: Steps | undefined;
  /** Was taken from the source and could not be done yet. */
  #back: EntryEvent | undefined;
  #isLooking = false;
  #isLookingSoon = false;
  /** The entry that was performed last. */
  #last: EntryEvent | undefined;
  #halt: Halt | undefined;
  /** The scheduler was woken to look at it when nothing else was left to do. */
  #woken: TraceEvent | undefined;
  readonly #listeners: ((halt: Halt) => void)[] = [];
  /** What runs is no part of the run again. */
  #isApart = false;

  constructor(source: TraceSource, ports: FollowingPorts) {
    this.#source = source;
    this.#ports = ports;
  }

  attach(steps: Steps): void {
    this.#steps = steps;
    steps.beforeSteps((isTick) => this.#beforeStep(isTick));
    this.#look();
  }

  join(follower: Follower): void {
    this.#follower = follower;
    if (this.#halt !== undefined) follower.hold();
  }

  /** Undefined behind the last one. */
  get next(): TraceEvent | undefined {
    return this.#back ?? this.#source.next;
  }

  get #events(): number {
    return this.#source.taken - (this.#back === undefined ? 0 : 1);
  }

  get halt(): Halt | undefined {
    return this.#halt;
  }

  take(): void {
    this.#goOn();
    this.#look();
    this.#wakeFollower();
  }

  #goOn(): void {
    if (this.#back !== undefined) this.#back = undefined;
    else this.#source.take();
  }

  /** Only for what it takes: a round that nothing begins runs what is left of the program, ahead of what Node has in its own queues. */
  #wakeFollower(): void {
    const what = this.next?.what;
    if ((what === 'messages' || what === 'happened') && this.#ports.isAwaited?.() !== true) this.#follower.wake();
  }

  outcome(source: number, asked?: () => string): TapeValue {
    if (this.#isApart) throw notAnswered(source, asked?.());
    if (this.#halt !== undefined) throw this.#stop();
    const { next } = this;
    if (next?.what === 'outcome' && next.source === source) {
      this.take();
      return next.value;
    }
    if (next === undefined && this.#source.end === 'cut off') return this.cutOff();
    const what = asked === undefined ? '' : `: ${asked()}`;
    return this.diverge(told(next), `the program asks ${sourceName(source)}${what}`);
  }

  get isApart(): boolean {
    return this.#isApart;
  }

  /** Runs code that is no part of the run again: it is told nothing of what comes from outside. */
  apart<T>(run: () => T): T {
    this.#isApart = true;
    try {
      return run();
    } finally {
      this.#isApart = false;
    }
  }

  peek(source: number): TapeValue {
    if (this.#isApart) return undefined;
    const { next } = this;
    return next?.what === 'outcome' && next.source === source ? next.value : undefined;
  }

  diverge(expected: string, actual: string): never {
    this.differ(expected, actual);
    throw this.#stop();
  }

  /** The same, where nobody is to be told by an error. */
  differ(expected: string, actual: string): void {
    if (this.#halt !== undefined) return;
    const ordinal = this.#events + 1;
    const { turns: turn } = this.#follower;
    const actor = this.#follower.whose();
    const where = `${actor}, after ${turn} turns of the worker`;
    const error = new RuntimeError(
      'TT_DIVERGED',
      `event ${ordinal} of the trace: it was expected that ${expected}; now ${actual} (${where})`,
    );
    const divergence = { ordinal, expected, actual, actor, turn, stack: error.stack };
    this.#end({ why: 'diverged', ...this.progress, divergence, error });
  }

  /** It has come to its end in order, or as far as the trace goes. */
  finish(why: 'ended' | 'cut off'): void {
    if (this.#halt === undefined) this.#end({ why, ...this.progress });
  }

  /** Behind the last event, in the middle of the program: it goes no further than this. */
  cutOff(): never {
    this.finish('cut off');
    throw this.#stop();
  }

  /** So far. */
  get progress(): Omit<Halt, 'why'> {
    const { turns, messages } = this.#follower;
    return { events: this.#events, turns, messages };
  }

  #end(halt: Halt): void {
    this.#halt = halt;
    this.#steps?.beforeSteps(undefined);
    this.#follower.hold();
    this.#ports.halted?.(halt);
    for (const listener of this.#listeners) listener(halt);
  }

  /** Is told, too, even if it has been already. */
  onHalt(listener: (halt: Halt) => void): void {
    this.#listeners.push(listener);
    if (this.#halt !== undefined) listener(this.#halt);
  }

  /** In the middle of the program, of which nothing is to go on. */
  #stop(): RuntimeError {
    this.#ports.end?.();
    const { why, error } = this.#halt as Halt;
    return (
      error ??
      new RuntimeError(
        'TT_DIVERGED',
        why === 'cut off' ? 'the trace of this worker stops here' : 'this worker has come to the end of its trace',
      )
    );
  }

  on(
    source: number,
    perform: PerformEntry,
    from: Performer['from'] = () => 'macrotask',
    chaining?: Performer['chaining'],
  ): void {
    this.#performers.set(source, { perform, from, ...(chaining && { chaining }) });
    this.#look();
  }

  pass(source: number, isIt: (value: TapeValue) => boolean): TapeValue | undefined {
    const { next } = this;
    if (this.#isApart || next?.what !== 'entry' || next.source !== source || !isIt(next.value)) return undefined;
    if (next.round !== this.#follower.rounds.count || next.step !== this.#steps?.steps) return undefined;
    this.#last = next;
    this.take();
    return next.value;
  }

  wake(): void {
    this.#look();
  }

  /** The entry that stands next, if its position is now. */
  #due(): EntryEvent | undefined {
    const { next } = this;
    if (next?.what !== 'entry' || this.#halt !== undefined) return undefined;
    const round = this.#follower.rounds.count;
    const { steps } = this.#steps as Steps;
    if (next.round > round || next.step > steps) return undefined;
    if (next.round === round && next.step === steps) return next;
    this.differ(told(next), `there have been ${round} rounds and ${steps} steps`);
    return undefined;
  }

  /** Looks at what stands next once Node has done what it has to. */
  #look(): void {
    const { next } = this;
    if (this.#halt !== undefined || next?.what !== 'entry') return;
    if (!this.#isLookingSoon) this.#lookSoon(next);
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#ports.later(() => {
      this.#isLooking = false;
      this.look();
    });
  }

  /** In the turn of Node's that goes on, if it may have come there. */
  #lookSoon(next: EntryEvent): void {
    const isChained = this.#isChained(next);
    const { next: tick, soon } = this.#ports;
    // A macrotask's ticks come before its jobs; behind a microtask they would come after them.
    const isMacrotask = this.#performers.get(next.source)?.from(next.value) === 'macrotask';
    const isAmongTicks = isMacrotask && tick !== undefined;
    if (!isChained && !isAmongTicks) return;
    this.#isLookingSoon = true;
    const look = (): void => {
      this.#isLookingSoon = false;
      if (this.next !== next) this.#look();
      else if (this.#steps?.isLeft() !== true) {
        if (isChained) this.look();
      } else if (isAmongTicks && this.#due() === next) {
        // Jobs wait that this turn has made, and there was no step before the entry: it came among the ticks of that turn, and so do those that it makes.
        this.#performNow(next);
      }
    };
    if (isAmongTicks) tick(look);
    else soon(look);
  }

  /** Whether it came in the same turn of Node as the event before it: then it is due before Node reports rejections, since it may handle one. */
  #isChained(next: EntryEvent): boolean {
    const chaining = this.#chainingOf(next);
    if (chaining !== undefined) return chaining === 'chained';
    const last = this.#last;
    if (last === undefined || last.round !== next.round || last.step !== next.step) return false;
    return CHAINED.has(next.source) && this.#chainingOf(last) !== 'apart';
  }

  #chainingOf({ source, value }: EntryEvent): Chaining {
    return this.#performers.get(source)?.chaining?.(value);
  }

  /** Performs the entry that is due, unless a step comes first. */
  look(): void {
    const entry = this.#due();
    const performer = entry && this.#performers.get(entry.source);
    if (entry === undefined || performer === undefined) return;
    if (this.#steps?.isLeft() === true) return this.#look();
    if (performer.from(entry.value) === 'macrotask') this.#perform(entry, performer);
    else
      this.#ports.soon(() => {
        if (this.#due() === entry) this.#perform(entry, performer);
      });
  }

  #performNow(entry: EntryEvent): void {
    const performer = this.#performers.get(entry.source);
    if (performer !== undefined) this.#perform(entry, performer);
  }

  #beforeStep(isTick: boolean): void {
    this.#look();
    for (;;) {
      const isAhead = this.#performDue();
      // Jobs that were made from Node's microtasks come when these are done, and before the tick.
      if (!isTick || !isAhead) {
        if (this.#halt === undefined) this.#ports.step?.();
        return;
      }
      this.#steps?.drain();
    }
  }

  /** All that is due; whether any of it came from Node's microtasks. */
  #performDue(): boolean {
    let isAhead = false;
    for (let entry = this.#due(); entry !== undefined; entry = this.#due()) {
      const performer = this.#performers.get(entry.source);
      if (performer === undefined) break;
      try {
        if (!this.#perform(entry, performer)) break;
      } catch (error) {
        // Not into the step, which has nothing to do with it.
        if (this.#ports.uncaught === undefined)
          this.#ports.later(() => {
            throw error;
          });
        else this.#ports.uncaught(error);
      }
      if (performer.from(entry.value) === 'microtask') isAhead = true;
    }
    return isAhead;
  }

  /** Whether it could be. */
  #perform(entry: EntryEvent, { perform }: Performer): boolean {
    this.#last = entry;
    // Nobody is woken yet: what cannot be performed is put back, and who is woken looks at it again.
    this.#goOn();
    this.#ports.entry?.(entry);
    let isDone = true as boolean;
    try {
      // Whoever's code is running here, Node called where nobody's was.
      (this.#steps as Steps).atRest(() => (isDone = perform(entry.id, entry.value) !== false));
    } finally {
      if (!isDone) this.#back = entry;
      else {
        this.#look();
        // Once Node has done what it has to, and told of rejections: what is taken, or turns that have waited for it.
        this.#ports.later(() => {
          if (this.#follower.hasTurns) this.#follower.wake();
          else this.#wakeFollower();
        });
      }
    }
    return isDone;
  }

  /** The thread ends, by itself or because it is told to. */
  exits(): void {
    if (this.#halt !== undefined) return;
    const { next } = this;
    if (next === undefined) this.finish(this.#source.end);
    else this.differ(told(next), 'the thread ends');
  }

  /** Node has nothing left to do here. Answers the next event if another thread has to act first; otherwise the replay has ended, and has said so. */
  judge(): TraceEvent | undefined {
    if (this.#halt !== undefined) return undefined;
    const { next } = this;
    if (next === undefined) {
      this.#end({ why: this.#source.end, ...this.progress, isBetween: true });
      return undefined;
    }
    const isHere = next.what === 'messages' || next.what === 'happened';
    if (isHere && next.round === this.#follower.rounds.count && next.turns === this.#follower.turns) {
      // The scheduler may have had no reason yet to look; where it has looked in vain somebody else has to do something first.
      if (this.#woken !== next) {
        this.#woken = next;
        this.#follower.wake();
      }
      return next;
    }
    this.differ(told(next), 'nothing is left to do');
    return undefined;
  }
}

function notAnswered(source: number, asked?: string): RuntimeError {
  const what = asked === undefined ? sourceName(source) : asked;
  return new RuntimeError(
    'TT_DIVERGED',
    `${what} cannot be asked here: in a run again the recording answers, which does not know of what is evaluated; what the program itself has read by here is known`,
  );
}

/** An event, in a sentence. */
export function told(event: TraceEvent | undefined): string {
  switch (event?.what) {
    case undefined:
      return 'nothing more is taken from outside: the trace has ended';
    case 'messages':
      return `${event.count === 1 ? '1 message' : `${event.count} messages`} of worker ${event.worker} ${event.count === 1 ? 'is' : 'are'} taken after ${event.turns} turns (${event.round} rounds)`;
    case 'happened':
      return `this happens after ${event.turns} turns (${event.round} rounds): ${event.kind} ${event.key}`;
    case 'entry':
      return `${sourceName(event.source)} calls (its callback ${event.id}) after ${event.round} rounds and ${event.step} steps`;
    case 'outcome':
      return `the program asks ${sourceName(event.source)}`;
  }
}
