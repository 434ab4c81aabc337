// Whether Node is in the middle of a round of timeouts, and since when: only then timeouts that are due come before immediates. Time
// stands still for a state while a turn lasts: what a capture takes itself is no time that a timer has waited. Followed once captures
// are to be expected, or timers are recorded, which costs every turn and tick a call; where the program is recorded only while timers of its own wait.
import asyncHooks, { AsyncResource, executionAsyncResource, type HookCallbacks } from 'node:async_hooks';
import { isTimeout, loopClock, native } from './native.ts';

/** Node's own: the program's is noted. */
const { createHook } = asyncHooks;
/** The engine's own, which is asked in a tenth of the time of the loop's clock: the program's is recorded. */
const { now } = performance;
const precisely = (): number => Reflect.apply(now, performance, []) as number;

let isFollowed = false;
/** When the turn began, by the loop's clock, as soon as anybody wants to know; by the precise one. */
let began: number | undefined;
let beganPrecisely = 0;
/** It is the callback of a timeout, and others may follow in the same round. */
let inRound = false;
let fires: ((timer: object) => void) | undefined;
let hook: ReturnType<typeof createHook> | undefined;
let isResting = false;
/** Some of the program's timers may wait. */
let isAnyMade = true;
/** Whether one does: asked when nothing else runs, if turns are not always followed. */
let isAnyWaiting: (() => boolean) | undefined;
/** Turns and ticks since it was asked. */
let since = 0;
const ASKED_AFTER = 1024;

export function followTurns(): void {
  if (isFollowed) return;
  isFollowed = true;
  began = loopClock();
  follow();
}

/** `watcher` is told of each timer before its callback runs. */
export function watchFiring(watcher: (timer: object) => void): void {
  fires = watcher;
  follow();
}

function follow(): void {
  if (hook !== undefined) return;
  hook = createHook({ before, trackPromises: false } as HookCallbacks);
  if (isAnyMade && !isResting) hook.enable();
}

export function timerWaits(): void {
  if (isAnyMade) return;
  isAnyMade = true;
  // It is due in no turn that has begun by now.
  inRound = false;
  began = undefined;
  beganPrecisely = precisely();
  if (!isResting) hook?.enable();
}

/** Before there are any: turns are followed only while it is so. */
export function followWhile(isAnyTimerWaiting: () => boolean): void {
  isAnyWaiting = isAnyTimerWaiting;
  isAnyMade = false;
}

/** An interval that has fired stands nowhere until its callback has ended: so this is a turn by itself. */
function ask(): void {
  if (!isAnyMade || isAnyWaiting?.() !== false) return;
  isAnyMade = false;
  hook?.disable();
}

/** While Node calls nothing: whoever runs turns of its own one after the other spares each of them a call. */
export function restTurns(isToRest: boolean): void {
  if (isResting === isToRest) return;
  isResting = isToRest;
  if (isToRest) hook?.disable();
  else if (isAnyMade) hook?.enable();
}

function before(): void {
  if (isAnyWaiting !== undefined && ++since === ASKED_AFTER) {
    since = 0;
    native.setImmediate(ask).unref();
  }
  const resource = executionAsyncResource();
  fires?.(resource);
  if (isFollowed && !isWithinTurn(resource)) beginTurn(resource);
}

/** A turn begins that Node knows nothing of: the callback of a timer, or none. */
export function beginTurn(timer: object): void {
  if (!isFollowed) return;
  inRound = isTimeout(timer);
  if (inRound) began = loopClock();
  else {
    began = undefined;
    beganPrecisely = precisely();
  }
}

/** Ticks and microtasks belong to the turn that queued them. */
function isWithinTurn(resource: object): boolean {
  const prototype = Reflect.getPrototypeOf(resource);
  return prototype === Object.prototype || prototype === AsyncResource.prototype;
}

/** The time by which timers wait: that at which the turn began, if turns are followed. */
export function turnClock(): number {
  if (!isFollowed || !isAnyMade) return loopClock();
  // Not later than it was: nothing that the turn has made itself is due in it.
  return (began ??= loopClock() - Math.ceil(precisely() - beganPrecisely));
}

/** False if no timeout can fire before the immediates that wait. */
export function mayBeInRound(): boolean {
  return !isFollowed || (isAnyMade && inRound);
}
