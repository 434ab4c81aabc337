// The job queue and the tick queue of a realm. A job is three slots (target, kind, value) in one flat ring, without an
// object or a closure for it (measured in bench/prototype). Queueing a job never runs it. When the job queue becomes
// non-empty, one anchor goes into the host's microtask queue and drains the queue from there. This keeps Node's order,
// also for jobs that native code queues. Each tick has its own anchor in the host's tick queue. After a job that
// throws, the rest of the queue continues from a new anchor, and the host reports the exception.

import { CoreError } from './core-error.ts';
import { CallbackJob, MICROTASK, type Context, type HomeActor } from './frame.ts';
import { apply } from './intrinsics.ts';
import { isHostReaction } from './host-reactions.ts';
import type { Host } from './host.ts';
import type { StepCounter } from './tape.ts';

/** The current context, shared by all parts of a realm. */
export interface CurrentExecution {
  context: Context;
}

export interface RunningJob {
  readonly target: unknown;
  readonly value: unknown;
}

/** The activity that has ended: code outside of the queues, a job, or a tick. After a tick, ticks run before jobs. */
export type JobBoundary = 'entry' | 'job' | 'tick';

export interface Jobs extends StepCounter {
  enqueue(target: unknown, kind: number, value: unknown): void;
  /** Schedules a drain even if the queue is empty, so that rejections are reported. */
  anchor(): void;
  /** Runs all jobs. Does nothing while a job is running. */
  drain(): void;
  /** Runs ticks and jobs in Node's order until none is left. Ends a turn before Node would. */
  drainAll(): void;
  /** Switches anchors off while the runtime ends turns by itself, because queued work then needs no anchor. */
  suppressAnchors(isSuppressed: boolean): void;
  size(): number;
  /** Whether the tick queue has ticks. */
  hasTicks(): boolean;
  /** Target of the running job: the bottom of the stack, where the async parents of a stack trace start. */
  runningTarget(): unknown;
  /** Target and value of the running job; both undefined between jobs. */
  runningJob(): RunningJob;
  queueMicrotask(callback: (...args: never[]) => unknown): void;
  nextTick(callback: (...args: never[]) => unknown, ...args: unknown[]): void;
  /** Contents of the queues, oldest first, for capture. */
  readQueues(): { jobs: [target: unknown, kind: number, value: unknown][]; ticks: CallbackJob[] };
  /** Sets an observer called before the first job of a drain and after each job and tick, outside of program code. */
  observeBoundaries(observer: ((after: JobBoundary) => void) | undefined): void;
  /** Sets a watcher called with a home: before each job or tick, and before native code settles an eventual. */
  watchHomes(watcher: ((home: HomeActor) => void) | undefined): void;
  /** Sets a watcher called with the kind and value of each job before the job runs. */
  watchJobs(watcher: ((kind: number, value: unknown) => void) | undefined): void;
  /** Announces that native code will settle an eventual of `home`. */
  enterFromNative(home: HomeActor): void;
  /** Sets a wrapper for further jobs and ticks, which must call `run`. */
  wrapJobs(wrapper: ((isTick: boolean, run: () => void) => void) | undefined): void;
  /**
   * Replaces the queues with copies that only `runDetached` runs, until `reattachQueues`. The host must not run
   * meanwhile.
   */
  detachQueues(): void;
  reattachQueues(): void;
  readonly isDetached: boolean;
  /** Runs the next job or tick of the detached queues. False if there is none. */
  runDetached(isTick: boolean): boolean;
  /** Runs code with empty queues while the queues are detached. What remains in them afterwards is dropped. */
  runWithOwnQueues<T>(run: () => T): T;
  /** Appends a tick from the past, in the host's asynchronous context of that tick. */
  addTick(tick: CallbackJob): void;
  clear(): void;
}

const SLOTS_PER_JOB = 3;

export function createJobs(
  host: Host,
  current: CurrentExecution,
  runJob: (target: unknown, kind: number, value: unknown) => void,
  onDrained: () => void,
  runInRootContext: (run: () => void) => void,
): Jobs {
  let ring: unknown[] = createRing(256);
  let mask = 255;
  let head = 0;
  let tail = 0;
  let isAnchored = false;
  let areAnchorsSuppressed = false;
  let isDraining = false;
  let isRunning = false;
  let ticks: CallbackJob[] = [];
  let firstTickIndex = 0;
  /** Number of ticks that ran before their anchors did. This many of the oldest anchors do nothing. */
  let anchorsToSkip = 0;
  let boundaryObserver: ((after: JobBoundary) => void) | undefined;
  let homeWatcher: ((home: HomeActor) => void) | undefined;
  let jobWatcher: ((kind: number, value: unknown) => void) | undefined;
  /** Whether steps are counted: only tapes need it. */
  const isTaped = host.tape !== undefined;
  let steps = 0;
  let stepListener: ((isTick: boolean) => void) | undefined;
  let performJob = runJob;
  let jobWrapper: ((isTick: boolean, run: () => void) => void) | undefined;
  /** Puts back the queues of before `detachQueues`; undefined while the queues are attached. */
  let restoreQueues: (() => void) | undefined;

  function enqueue(target: unknown, kind: number, value: unknown): void {
    const index = (tail & mask) * SLOTS_PER_JOB;
    ring[index] = target;
    ring[index + 1] = kind;
    ring[index + 2] = value;
    tail = (tail + 1) | 0;
    if (((tail - head) | 0) > mask) grow();
    if (!isAnchored) anchor();
  }

  function grow(): void {
    const count = (tail - head) | 0;
    const capacity = (mask + 1) * 2;
    const larger = createRing(capacity);
    for (let i = 0; i < count; i++) {
      const from = ((head + i) & mask) * SLOTS_PER_JOB;
      larger[i * SLOTS_PER_JOB] = ring[from];
      larger[i * SLOTS_PER_JOB + 1] = ring[from + 1];
      larger[i * SLOTS_PER_JOB + 2] = ring[from + 2];
    }
    ring = larger;
    mask = capacity - 1;
    head = 0;
    tail = count;
  }

  function anchor(): void {
    if (restoreQueues !== undefined || (isAnchored && !areAnchorsSuppressed)) return;
    isAnchored = true;
    host.queueMicrotask(drain);
  }

  function suppressAnchors(isSuppressed: boolean): void {
    areAnchorsSuppressed = isAnchored = isSuppressed;
    if (!isSuppressed && head !== tail) anchor();
  }

  function drain(): void {
    if (isDraining) return;
    isDraining = true;
    // If the runtime started this drain, the host's anchor still comes, and finds an empty queue.
    isAnchored = true;
    const { context } = current;
    try {
      let isStep = !isTaped;
      if (boundaryObserver !== undefined) boundaryObserver('entry');
      do {
        while (head !== tail) {
          const index = (head & mask) * SLOTS_PER_JOB;
          const target = ring[index];
          // Jobs of host code are not counted, because their timing does not matter to the program.
          if (!isStep && !isHostReaction(target)) {
            isStep = true;
            stepListener?.(false);
            steps++;
          }
          const kind = ring[index + 1] as number;
          const value = ring[index + 2];
          // The running job stays in the ring: a copy of it for `runningJob` would cost a write barrier per job.
          isRunning = true;
          performJob(target, kind, value);
          isRunning = false;
          removeFinishedJob();
        }
        onDrained();
      } while (head !== tail);
    } finally {
      if (isRunning) removeFinishedJob();
      isRunning = false;
      isDraining = false;
      isAnchored = areAnchorsSuppressed;
      current.context = context;
      if (head !== tail && !areAnchorsSuppressed) anchor();
    }
  }

  /** Removes the job at the head of the ring, which has run. */
  function removeFinishedJob(): void {
    const index = (head & mask) * SLOTS_PER_JOB;
    ring[index] = undefined;
    ring[index + 2] = undefined;
    head = (head + 1) | 0;
  }

  function size(): number {
    return ((tail - head) | 0) - (isRunning ? 1 : 0);
  }

  function hasWork(): boolean {
    return head !== tail || hasTicks();
  }

  function hasTicks(): boolean {
    return firstTickIndex !== ticks.length;
  }

  function runningTarget(): unknown {
    return isRunning ? ring[(head & mask) * SLOTS_PER_JOB] : undefined;
  }

  function runningJob(): RunningJob {
    const index = (head & mask) * SLOTS_PER_JOB;
    return isRunning ? { target: ring[index], value: ring[index + 2] } : { target: undefined, value: undefined };
  }

  function queueMicrotask(callback: (...args: never[]) => unknown): void {
    enqueue(new CallbackJob(callback, [], current.context), MICROTASK, undefined);
  }

  function nextTick(callback: (...args: never[]) => unknown, ...args: unknown[]): void {
    appendTick(new CallbackJob(callback, args, current.context));
  }

  function appendTick(tick: CallbackJob): void {
    if (host.nextTick === undefined) {
      throw new CoreError(
        'TT_NO_TICKS',
        "nextTick: this realm's host has no tick queue; give createRealm a host with nextTick()",
      );
    }
    ticks[ticks.length] = tick;
    if (restoreQueues === undefined) host.nextTick(runTick);
  }

  /** Adds a tick from the past, in the host's asynchronous context of that tick. */
  function addTick(tick: CallbackJob): void {
    const store = tick.context.store as ((fn: () => void) => void) | undefined;
    if (store === undefined) appendTick(tick);
    else store(() => appendTick(tick));
  }

  function runTick(): void {
    if (anchorsToSkip > 0) {
      anchorsToSkip--;
      return;
    }
    if (firstTickIndex === ticks.length) return; // the queue has been cleared
    if (stepListener !== undefined) stepListener(true);
    steps++;
    const tick = takeTick();
    const { context } = current;
    homeWatcher?.(tick.context.home);
    current.context = tick.context;
    try {
      if (jobWrapper === undefined) apply(tick.callback, undefined, tick.args as never[]);
      else jobWrapper(true, () => void apply(tick.callback, undefined, tick.args as never[]));
    } finally {
      current.context = context;
    }
    if (boundaryObserver !== undefined) boundaryObserver('tick');
  }

  function takeTick(): CallbackJob {
    const tick = ticks[firstTickIndex++] as CallbackJob;
    if (firstTickIndex === ticks.length) {
      ticks = [];
      firstTickIndex = 0;
    } else if (firstTickIndex > 1024 && firstTickIndex * 2 > ticks.length) {
      const remaining: CallbackJob[] = [];
      for (let i = firstTickIndex; i < ticks.length; i++) remaining[i - firstTickIndex] = ticks[i] as CallbackJob;
      ticks = remaining;
      firstTickIndex = 0;
    }
    return tick;
  }

  function drainAll(): void {
    if (isDraining) return;
    const { context } = current;
    try {
      do {
        while (firstTickIndex !== ticks.length) {
          if (stepListener !== undefined) stepListener(true);
          steps++;
          anchorsToSkip++;
          const tick = takeTick();
          homeWatcher?.(tick.context.home);
          if (jobWrapper === undefined) runJob(tick, MICROTASK, undefined);
          else jobWrapper(true, () => runJob(tick, MICROTASK, undefined));
          if (boundaryObserver !== undefined) boundaryObserver('tick');
        }
        drain();
      } while (hasWork());
    } finally {
      current.context = context;
    }
  }

  function observeBoundaries(observer: ((after: JobBoundary) => void) | undefined): void {
    boundaryObserver = observer;
    updatePerformJob();
  }

  function watchHomes(watcher: ((home: HomeActor) => void) | undefined): void {
    homeWatcher = watcher;
    updatePerformJob();
  }

  function watchJobs(watcher: ((kind: number, value: unknown) => void) | undefined): void {
    jobWatcher = watcher;
    updatePerformJob();
  }

  function enterFromNative(home: HomeActor): void {
    homeWatcher?.(home);
  }

  function wrapJobs(wrapper: typeof jobWrapper): void {
    jobWrapper = wrapper;
    updatePerformJob();
  }

  /** Composes `performJob` from the observers in use, so that the drain loop needs no checks. */
  function updatePerformJob(): void {
    const onBoundary = boundaryObserver;
    const onHome = homeWatcher;
    const wrapper = jobWrapper;
    const runWrapped: typeof runJob =
      wrapper === undefined
        ? runJob
        : (target, kind, value) => {
            if (isHostReaction(target)) runJob(target, kind, value);
            else wrapper(false, () => runJob(target, kind, value));
          };
    const onJob = jobWatcher;
    performJob =
      onBoundary === undefined && onHome === undefined && onJob === undefined
        ? runWrapped
        : (target, kind, value) => {
            if (!isHostReaction(target)) onJob?.(kind, value);
            const { context } = target as { context?: Context };
            if (context !== undefined) onHome?.(context.home);
            runWrapped(target, kind, value);
            // Jobs of host code leave the program's state unchanged, so observers need not see them.
            if (onBoundary !== undefined && !isHostReaction(target)) onBoundary('job');
          };
  }

  function readQueues(): ReturnType<Jobs['readQueues']> {
    const jobs: [unknown, number, unknown][] = [];
    for (let i = 0; i < size(); i++) {
      const index = ((head + i + (isRunning ? 1 : 0)) & mask) * SLOTS_PER_JOB;
      if (!isHostReaction(ring[index])) jobs[jobs.length] = [ring[index], ring[index + 1] as number, ring[index + 2]];
    }
    const waitingTicks: CallbackJob[] = [];
    for (let i = firstTickIndex; i < ticks.length; i++) waitingTicks[i - firstTickIndex] = ticks[i] as CallbackJob;
    return { jobs, ticks: waitingTicks };
  }

  function clear(): void {
    const cleared = createRing(mask + 1);
    // The running job is removed when it ends.
    if (isRunning) for (let i = 0; i < SLOTS_PER_JOB; i++) cleared[i] = ring[(head & mask) * SLOTS_PER_JOB + i];
    ring = cleared;
    head = 0;
    tail = isRunning ? 1 : 0;
    ticks = [];
    firstTickIndex = 0;
  }

  function detachQueues(): void {
    if (restoreQueues !== undefined) return;
    const { jobs, ticks: waitingTicks } = readQueues();
    const saved = {
      ring,
      mask,
      head,
      tail,
      running: isRunning,
      anchored: isAnchored,
      ticks,
      firstTick: firstTickIndex,
      steps,
      context: current.context,
    };
    restoreQueues = () => {
      ({
        ring,
        mask,
        head,
        tail,
        running: isRunning,
        anchored: isAnchored,
        ticks,
        firstTick: firstTickIndex,
        steps,
      } = saved);
      current.context = saved.context;
    };
    clearDetached();
    for (let i = 0; i < jobs.length; i++) {
      const job = jobs[i] as (typeof jobs)[number];
      enqueue(job[0], job[1], job[2]);
    }
    ticks = waitingTicks;
  }

  function reattachQueues(): void {
    restoreQueues?.();
    restoreQueues = undefined;
  }

  function runDetached(isTick: boolean): boolean {
    if (isTick) {
      if (!hasTicks()) return false;
      runJob(takeTick(), MICROTASK, undefined);
      return true;
    }
    if (head === tail) return false;
    const index = (head & mask) * SLOTS_PER_JOB;
    isRunning = true;
    try {
      runJob(ring[index], ring[index + 1] as number, ring[index + 2]);
    } finally {
      isRunning = false;
      removeFinishedJob();
    }
    return true;
  }

  function runWithOwnQueues<T>(run: () => T): T {
    const saved = { ring, mask, head, tail, isRunning, ticks, firstTickIndex, context: current.context };
    clearDetached();
    try {
      return run();
    } finally {
      ({ ring, mask, head, tail, isRunning, ticks, firstTickIndex } = saved);
      current.context = saved.context;
    }
  }

  function clearDetached(): void {
    ring = createRing(256);
    mask = 255;
    head = 0;
    tail = 0;
    isRunning = false;
    isAnchored = true;
    ticks = [];
    firstTickIndex = 0;
  }

  function onBeforeStep(listener: ((isTick: boolean) => void) | undefined): void {
    stepListener = listener;
  }

  return {
    get steps() {
      return steps;
    },
    set steps(count) {
      steps = count;
    },
    onBeforeStep,
    runInRootContext,
    enqueue,
    anchor,
    drain,
    drainAll,
    hasTicks,
    suppressAnchors,
    size,
    hasWork,
    runningTarget,
    runningJob,
    queueMicrotask,
    nextTick,
    readQueues,
    observeBoundaries,
    watchHomes,
    watchJobs,
    enterFromNative,
    wrapJobs,
    detachQueues,
    reattachQueues,
    get isDetached() {
      return restoreQueues !== undefined;
    },
    runDetached,
    runWithOwnQueues,
    addTick,
    clear,
  };
}

function createRing(capacity: number): unknown[] {
  const slots: unknown[] = [];
  for (let i = 0; i < capacity * SLOTS_PER_JOB; i++) slots[i] = undefined;
  return slots;
}
