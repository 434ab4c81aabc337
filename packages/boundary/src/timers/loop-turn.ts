// Tracks whether Node is running a round of timeouts, and when the round started, because only then do due timeouts
// precede immediates. Timers in a captured state refer to the start of the event loop's turn, so that the duration of
// a capture does not count as time that a timer has waited.
//
// Tracking costs a call per turn and tick. It is enabled when captures may follow or timers have a tape; in a recorded
// thread it runs only while a timer of the program waits.
import asyncHooks, { AsyncResource, executionAsyncResource, type HookCallbacks } from 'node:async_hooks';
import { isTimeout, loopNow, native } from './native-timers.ts';

/** The native function. The program uses an instrumented one. */
const { createHook } = asyncHooks;
/** The native function, ten times faster than reading the loop's clock. The program uses a recorded one. */
const { now: nativeNow } = performance;
const preciseNowMs = (): number => Reflect.apply(nativeNow, performance, []) as number;

let isTracking = false;
/** Start of the turn: by the loop's clock, undefined until requested, and by the precise clock. */
let turnStartMs: number | undefined;
let preciseTurnStartMs = 0;
/** Whether the turn is a timeout's callback, which others may follow in the same round. */
let isInTimeoutRound = false;
let onFire: ((timer: object) => void) | undefined;
let hook: ReturnType<typeof createHook> | undefined;
let isPaused = false;
let mayHaveTimers = true;
/** Whether a timer waits. Called when nothing else runs; undefined if tracking is permanent. */
let hasWaitingTimer: (() => boolean) | undefined;
let callsSinceCheck = 0;
const CALLS_PER_CHECK = 1024;

export function trackTurns(): void {
  if (isTracking) return;
  isTracking = true;
  turnStartMs = loopNow();
  startHook();
}

export function setOnFire(watcher: (timer: object) => void): void {
  onFire = watcher;
  startHook();
}

function startHook(): void {
  if (hook !== undefined) return;
  hook = createHook({ before, trackPromises: false } as HookCallbacks);
  if (mayHaveTimers && !isPaused) hook.enable();
}

export function noteTimerArmed(): void {
  if (mayHaveTimers) return;
  mayHaveTimers = true;
  // The timer is not due in any turn that has started.
  isInTimeoutRound = false;
  turnStartMs = undefined;
  preciseTurnStartMs = preciseNowMs();
  if (!isPaused) hook?.enable();
}

/** Tracks turns only while a timer waits. Must be called before there are any timers. */
export function trackWhile(isAnyTimerWaiting: () => boolean): void {
  hasWaitingTimer = isAnyTimerWaiting;
  mayHaveTimers = false;
}

/** Stops tracking if no timer waits. Must run in a separate turn: an interval is in no list during its callback. */
function checkTimers(): void {
  if (!mayHaveTimers || hasWaitingTimer?.() !== false) return;
  mayHaveTimers = false;
  hook?.disable();
}

/** Pauses tracking while Node calls nothing, which saves a call of the hook for each turn of an actor. */
export function pauseTracking(shouldPause: boolean): void {
  if (isPaused === shouldPause) return;
  isPaused = shouldPause;
  if (shouldPause) hook?.disable();
  else if (mayHaveTimers) hook?.enable();
}

function before(): void {
  if (hasWaitingTimer !== undefined && ++callsSinceCheck === CALLS_PER_CHECK) {
    callsSinceCheck = 0;
    native.setImmediate(checkTimers).unref();
  }
  const resource = executionAsyncResource();
  onFire?.(resource);
  if (isTracking && !isWithinTurn(resource)) startTurn(resource);
}

/** Starts a turn. @param timer the timer or other resource that is called */
export function startTurn(timer: object): void {
  if (!isTracking) return;
  isInTimeoutRound = isTimeout(timer);
  if (isInTimeoutRound) turnStartMs = loopNow();
  else {
    turnStartMs = undefined;
    preciseTurnStartMs = preciseNowMs();
  }
}

/** Whether a resource belongs to the turn that queued it, as ticks and microtasks do. */
function isWithinTurn(resource: object): boolean {
  const prototype = Reflect.getPrototypeOf(resource);
  return prototype === Object.prototype || prototype === AsyncResource.prototype;
}

/** Returns the reference time of timers: the start of the turn if turns are tracked, otherwise the current time. */
export function turnNow(): number {
  if (!isTracking || !mayHaveTimers) return loopNow();
  // Rounded down, because nothing that the turn itself creates may be due in it.
  return (turnStartMs ??= loopNow() - Math.ceil(preciseNowMs() - preciseTurnStartMs));
}

/** Whether a timeout may fire before the waiting immediates. */
export function mayBeInTimeoutRound(): boolean {
  return !isTracking || (mayHaveTimers && isInTimeoutRound);
}
