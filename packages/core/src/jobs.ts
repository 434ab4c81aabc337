// The job queue and the tick queue of a realm. Jobs are three slots in one flat ring: target, kind, value (measured in
// bench/prototype: no object per job, no closure). Nothing here runs a job by itself: when the queue becomes non-empty, one
// anchor goes into the host's microtask queue and drains everything from there, so entries from native code do not drain
// and order is Node's. Ticks have one anchor each in the host's tick queue. A job that throws loses nothing: the rest of the
// queue continues from a new anchor, and the host reports the exception.

import { CoreError } from './core-error.ts';
import { CallbackJob, MICROTASK, type Context, type Home } from './frame.ts';
import { apply } from './intrinsics.ts';
import { isOutside } from './outside.ts';
import type { Host } from './host.ts';
import type { Steps } from './tape.ts';

/** What is running at this moment; shared by all parts of a realm. */
export interface Now {
  context: Context;
}

export interface Taken {
  readonly running: unknown;
  readonly given: unknown;
}

/** What has just been done at a job boundary: something outside the queues, or a job, or a tick; after a tick, ticks go before jobs. */
export type Boundary = 'entry' | 'job' | 'tick';

export interface Jobs extends Steps {
  enqueue(target: unknown, kind: number, value: unknown): void;
  /** Makes sure that a drain will come, though the queue may be empty (rejections to be reported). */
  anchor(): void;
  /** Does nothing when it is called from within a job. */
  drain(): void;
  /** Runs ticks and jobs until none is left, in Node's order: for whoever ends a turn before Node does. */
  finish(): void;
  /** Whether somebody ends one turn after the other, in the midst of one of Node's: what they queue needs no anchor of the host's. */
  attend(isAttended: boolean): void;
  size(): number;
  /** Whether any tick waits. */
  areTicksLeft(): boolean;
  /** What the job queue is running, or nothing: the bottom of the stack, where a trace's async parents begin. */
  running(): unknown;
  /** The same with what came into it. */
  taken(): Taken;
  queueMicrotask(callback: (...args: never[]) => unknown): void;
  nextTick(callback: (...args: never[]) => unknown, ...args: unknown[]): void;
  /** The queues as data, oldest first; for capture. */
  read(): { jobs: [target: unknown, kind: number, value: unknown][]; ticks: CallbackJob[] };
  /** Calls `observer` at every job boundary, with no code of the program on the stack: before the first job of a drain, after each job and each tick. */
  observe(observer: ((after: Boundary) => void) | undefined): void;
  /** Calls `watcher` with whose job or tick is next before it runs, of all that is run on somebody's behalf, and of what native code settles. */
  watch(watcher: ((home: Home) => void) | undefined): void;
  /** Calls `watcher` before each job, with its kind. */
  watchRuns(watcher: ((kind: number) => void) | undefined): void;
  /** Native code is about to settle what is somebody's. */
  entering(home: Home): void;
  /** Calls `around` with each job and tick from now on, which runs it. */
  surround(around: ((isTick: boolean, run: () => void) => void) | undefined): void;
  /** Replaces the queues by copies that the host does not run, while a state is taken back. `letGo` restores the queues before the host runs anything. */
  hold(): void;
  letGo(): void;
  readonly isHeld: boolean;
  /** Of those that are held: runs the next one, if there is any. */
  again(isTick: boolean): boolean;
  /** Appends a tick taken from another realm's queue. */
  addTick(tick: CallbackJob): void;
  clear(): void;
}

const WIDTH = 3;

export function createJobs(
  host: Host,
  now: Now,
  run: (target: unknown, kind: number, value: unknown) => void,
  drained: () => void,
  atRest: (run: () => void) => void,
): Jobs {
  let ring: unknown[] = emptyRing(256);
  let mask = 255;
  let head = 0;
  let tail = 0;
  let anchored = false;
  let attended = false;
  let draining = false;
  let running = false;
  let ticks: CallbackJob[] = [];
  let firstTick = 0;
  /** Ticks that were run without waiting for Node: so many of the host's anchors, the oldest ones, find nothing to do. */
  let spent = 0;
  let atBoundary: ((after: Boundary) => void) | undefined;
  let watching: ((home: Home) => void) | undefined;
  let watchingRuns: ((kind: number) => void) | undefined;
  /** Positions are counted for nobody else. */
  const isTaped = host.tape !== undefined;
  let steps = 0;
  let beforeStep: ((isTick: boolean) => void) | undefined;
  let perform = run;
  let surrounding: ((isTick: boolean, run: () => void) => void) | undefined;
  /** What the queues were when they were held. */
  let letGoOf: (() => void) | undefined;

  function enqueue(target: unknown, kind: number, value: unknown): void {
    const at = (tail & mask) * WIDTH;
    ring[at] = target;
    ring[at + 1] = kind;
    ring[at + 2] = value;
    tail = (tail + 1) | 0;
    if (((tail - head) | 0) > mask) grow();
    if (!anchored) anchor();
  }

  function grow(): void {
    const count = (tail - head) | 0;
    const capacity = (mask + 1) * 2;
    const larger = emptyRing(capacity);
    for (let i = 0; i < count; i++) {
      const from = ((head + i) & mask) * WIDTH;
      larger[i * WIDTH] = ring[from];
      larger[i * WIDTH + 1] = ring[from + 1];
      larger[i * WIDTH + 2] = ring[from + 2];
    }
    ring = larger;
    mask = capacity - 1;
    head = 0;
    tail = count;
  }

  function anchor(): void {
    if (letGoOf !== undefined || (anchored && !attended)) return;
    anchored = true;
    host.queueMicrotask(drain);
  }

  function attend(isAttended: boolean): void {
    attended = anchored = isAttended;
    if (!isAttended && head !== tail) anchor();
  }

  function drain(): void {
    if (draining) return;
    draining = true;
    // A drain that the runtime asks for itself leaves the host's anchor standing: it will find an empty queue.
    anchored = true;
    const { context } = now;
    try {
      let isStep = !isTaped;
      if (atBoundary !== undefined) atBoundary('entry');
      do {
        while (head !== tail) {
          const at = (head & mask) * WIDTH;
          const target = ring[at];
          // What somebody outside waited for is none: when it comes is no matter of the program's.
          if (!isStep && !isOutside(target)) {
            isStep = true;
            beforeStep?.(false);
            steps++;
          }
          const kind = ring[at + 1] as number;
          const value = ring[at + 2];
          // The running job keeps its place, so that it can be asked for without a store that the collector must see.
          running = true;
          perform(target, kind, value);
          running = false;
          leave();
        }
        drained();
      } while (head !== tail);
    } finally {
      if (running) leave();
      running = false;
      draining = false;
      anchored = attended;
      now.context = context;
      if (head !== tail && !attended) anchor();
    }
  }

  /** Takes the job that has run out of the queue. */
  function leave(): void {
    const at = (head & mask) * WIDTH;
    ring[at] = undefined;
    ring[at + 2] = undefined;
    head = (head + 1) | 0;
  }

  function size(): number {
    return ((tail - head) | 0) - (running ? 1 : 0);
  }

  function isLeft(): boolean {
    return head !== tail || areTicksLeft();
  }

  function areTicksLeft(): boolean {
    return firstTick !== ticks.length;
  }

  function runningTarget(): unknown {
    return running ? ring[(head & mask) * WIDTH] : undefined;
  }

  function taken(): Taken {
    const at = (head & mask) * WIDTH;
    return running ? { running: ring[at], given: ring[at + 2] } : { running: undefined, given: undefined };
  }

  function queueMicrotask(callback: (...args: never[]) => unknown): void {
    enqueue(new CallbackJob(callback, [], now.context), MICROTASK, undefined);
  }

  function nextTick(callback: (...args: never[]) => unknown, ...args: unknown[]): void {
    append(new CallbackJob(callback, args, now.context));
  }

  function append(tick: CallbackJob): void {
    if (host.nextTick === undefined) {
      throw new CoreError(
        'TT_NO_TICKS',
        "nextTick: this realm's host has no tick queue; give createRealm a host with nextTick()",
      );
    }
    ticks[ticks.length] = tick;
    if (letGoOf === undefined) host.nextTick(runTick);
  }

  /** A tick of an earlier moment, in the host's asynchronous context of that moment. */
  function addTick(tick: CallbackJob): void {
    const store = tick.context.store as ((fn: () => void) => void) | undefined;
    if (store === undefined) append(tick);
    else store(() => append(tick));
  }

  function runTick(): void {
    if (spent > 0) {
      spent--;
      return;
    }
    if (firstTick === ticks.length) return; // cleared since
    if (beforeStep !== undefined) beforeStep(true);
    steps++;
    const tick = takeTick();
    const { context } = now;
    watching?.(tick.context.home);
    now.context = tick.context;
    try {
      if (surrounding === undefined) apply(tick.callback, undefined, tick.args as never[]);
      else surrounding(true, () => void apply(tick.callback, undefined, tick.args as never[]));
    } finally {
      now.context = context;
    }
    if (atBoundary !== undefined) atBoundary('tick');
  }

  function takeTick(): CallbackJob {
    const tick = ticks[firstTick++] as CallbackJob;
    if (firstTick === ticks.length) {
      ticks = [];
      firstTick = 0;
    } else if (firstTick > 1024 && firstTick * 2 > ticks.length) {
      const rest: CallbackJob[] = [];
      for (let i = firstTick; i < ticks.length; i++) rest[i - firstTick] = ticks[i] as CallbackJob;
      ticks = rest;
      firstTick = 0;
    }
    return tick;
  }

  function finish(): void {
    if (draining) return;
    const { context } = now;
    try {
      do {
        while (firstTick !== ticks.length) {
          if (beforeStep !== undefined) beforeStep(true);
          steps++;
          spent++;
          const tick = takeTick();
          watching?.(tick.context.home);
          if (surrounding === undefined) run(tick, MICROTASK, undefined);
          else surrounding(true, () => run(tick, MICROTASK, undefined));
          if (atBoundary !== undefined) atBoundary('tick');
        }
        drain();
      } while (isLeft());
    } finally {
      now.context = context;
    }
  }

  function observe(observer: ((after: Boundary) => void) | undefined): void {
    atBoundary = observer;
    setPerform();
  }

  function watch(watcher: ((home: Home) => void) | undefined): void {
    watching = watcher;
    setPerform();
  }

  function watchRuns(watcher: ((kind: number) => void) | undefined): void {
    watchingRuns = watcher;
    setPerform();
  }

  function entering(home: Home): void {
    watching?.(home);
  }

  function surround(around: typeof surrounding): void {
    surrounding = around;
    setPerform();
  }

  /** Not questions in the loop, which everything else is paid for by. */
  function setPerform(): void {
    const observer = atBoundary;
    const watcher = watching;
    const around = surrounding;
    const runIt: typeof run =
      around === undefined
        ? run
        : (target, kind, value) => {
            if (isOutside(target)) run(target, kind, value);
            else around(false, () => run(target, kind, value));
          };
    const runs = watchingRuns;
    perform =
      observer === undefined && watcher === undefined && runs === undefined
        ? runIt
        : (target, kind, value) => {
            if (!isOutside(target)) runs?.(kind);
            const { context } = target as { context?: Context };
            if (context !== undefined) watcher?.(context.home);
            runIt(target, kind, value);
            // What somebody outside waited for has not moved the program.
            if (observer !== undefined && !isOutside(target)) observer('job');
          };
  }

  function read(): ReturnType<Jobs['read']> {
    const jobs: [unknown, number, unknown][] = [];
    for (let i = 0; i < size(); i++) {
      const at = ((head + i + (running ? 1 : 0)) & mask) * WIDTH;
      if (!isOutside(ring[at])) jobs[jobs.length] = [ring[at], ring[at + 1] as number, ring[at + 2]];
    }
    const waiting: CallbackJob[] = [];
    for (let i = firstTick; i < ticks.length; i++) waiting[i - firstTick] = ticks[i] as CallbackJob;
    return { jobs, ticks: waiting };
  }

  function clear(): void {
    ring = emptyRing(mask + 1);
    head = 0;
    tail = running ? 1 : 0; // the running job still has to leave
    ticks = [];
    firstTick = 0;
  }

  function hold(): void {
    if (letGoOf !== undefined) return;
    const { jobs, ticks: waiting } = read();
    const were = { ring, mask, head, tail, running, anchored, ticks, firstTick, steps, context: now.context };
    letGoOf = () => {
      ({ ring, mask, head, tail, running, anchored, ticks, firstTick, steps } = were);
      now.context = were.context;
    };
    ring = emptyRing(256);
    mask = 255;
    head = 0;
    tail = 0;
    running = false;
    anchored = true;
    for (let i = 0; i < jobs.length; i++) {
      const job = jobs[i] as (typeof jobs)[number];
      enqueue(job[0], job[1], job[2]);
    }
    ticks = waiting;
    firstTick = 0;
  }

  function letGo(): void {
    letGoOf?.();
    letGoOf = undefined;
  }

  function again(isTick: boolean): boolean {
    if (isTick) {
      if (!areTicksLeft()) return false;
      run(takeTick(), MICROTASK, undefined);
      return true;
    }
    if (head === tail) return false;
    const at = (head & mask) * WIDTH;
    running = true;
    try {
      run(ring[at], ring[at + 1] as number, ring[at + 2]);
    } finally {
      running = false;
      leave();
    }
    return true;
  }

  function beforeSteps(before: ((isTick: boolean) => void) | undefined): void {
    beforeStep = before;
  }

  return {
    get steps() {
      return steps;
    },
    set steps(count) {
      steps = count;
    },
    beforeSteps,
    atRest,
    enqueue,
    anchor,
    drain,
    finish,
    areTicksLeft,
    attend,
    size,
    isLeft,
    running: runningTarget,
    taken,
    queueMicrotask,
    nextTick,
    read,
    observe,
    watch,
    watchRuns,
    entering,
    surround,
    hold,
    letGo,
    get isHeld() {
      return letGoOf !== undefined;
    },
    again,
    addTick,
    clear,
  };
}

function emptyRing(capacity: number): unknown[] {
  const slots: unknown[] = [];
  for (let i = 0; i < capacity * WIDTH; i++) slots[i] = undefined;
  return slots;
}
