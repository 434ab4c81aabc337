// Whether Node is in the middle of a round of timeouts, and since when: only then timeouts that are due come before immediates. Time
// stands still for a state while a turn lasts: what a capture takes itself is no time that a timer has waited. Followed once captures
// are to be expected, or timers are recorded, which costs every turn and tick a call; where the program is recorded only while timers of its own wait.
import asyncHooks, { AsyncResource, executionAsyncResource, type HookCallbacks } from 'node:async_hooks';
import { isTimeout, loopNow, native } from './native-timers.ts';

/** Node's own: the program's is noted. */
const { createHook } = asyncHooks;
/** The engine's own, which is asked in a tenth of the time of the loop's clock: the program's is recorded. */
const { now: nativeNow } = performance;
const preciseNowMs = (): number => Reflect.apply(nativeNow, performance, []) as number;

let isTracking = false;
/** When the turn began, by the loop's clock, as soon as anybody wants to know; by the precise one. */
let turnStartMs: number | undefined;
let preciseTurnStartMs = 0;
/** It is the callback of a timeout, and others may follow in the same round. */
let isInTimeoutRound = false;
let onFire: ((timer: object) => void) | undefined;
let hook: ReturnType<typeof createHook> | undefined;
let isPaused = false;
/** Some of the program's timers may wait. */
let mayHaveTimers = true;
/** Whether one does: asked when nothing else runs, if turns are not always followed. */
let hasWaitingTimer: (() => boolean) | undefined;
/** Turns and ticks since it was asked. */
let callsSinceCheck = 0;
const CALLS_PER_CHECK = 1024;

export function trackTurns(): void {
  if (isTracking) return;
  isTracking = true;
  turnStartMs = loopNow();
  startHook();
}

/** `watcher` is told of each timer before its callback runs. */
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
  // It is due in no turn that has begun by now.
  isInTimeoutRound = false;
  turnStartMs = undefined;
  preciseTurnStartMs = preciseNowMs();
  if (!isPaused) hook?.enable();
}

/** Before there are any: turns are followed only while it is so. */
export function trackWhile(isAnyTimerWaiting: () => boolean): void {
  hasWaitingTimer = isAnyTimerWaiting;
  mayHaveTimers = false;
}

/** An interval that has fired stands nowhere until its callback has ended: so this is a turn by itself. */
function checkTimers(): void {
  if (!mayHaveTimers || hasWaitingTimer?.() !== false) return;
  mayHaveTimers = false;
  hook?.disable();
}

/** While Node calls nothing: whoever runs turns of its own one after the other spares each of them a call. */
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

/** A turn begins that Node knows nothing of: the callback of a timer, or none. */
export function startTurn(timer: object): void {
  if (!isTracking) return;
  isInTimeoutRound = isTimeout(timer);
  if (isInTimeoutRound) turnStartMs = loopNow();
  else {
    turnStartMs = undefined;
    preciseTurnStartMs = preciseNowMs();
  }
}

/** Ticks and microtasks belong to the turn that queued them. */
function isWithinTurn(resource: object): boolean {
  const prototype = Reflect.getPrototypeOf(resource);
  return prototype === Object.prototype || prototype === AsyncResource.prototype;
}

/** The time by which timers wait: that at which the turn began, if turns are followed. */
export function turnNow(): number {
  if (!isTracking || !mayHaveTimers) return loopNow();
  // Not later than it was: nothing that the turn has made itself is due in it.
  return (turnStartMs ??= loopNow() - Math.ceil(preciseNowMs() - preciseTurnStartMs));
}

/** False if no timeout can fire before the immediates that wait. */
export function mayBeInTimeoutRound(): boolean {
  return !isTracking || (mayHaveTimers && isInTimeoutRound);
}
