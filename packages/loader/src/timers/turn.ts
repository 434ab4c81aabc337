// Whether Node is in the middle of a round of timeouts, and since when: only then timeouts that are due come before immediates. Time
// stands still for a state while a turn lasts: what a capture takes itself is no time that a timer has waited. Followed once captures
// are to be expected, for it costs every turn a call.
import { AsyncResource, createHook, executionAsyncResource, type HookCallbacks } from 'node:async_hooks';
import { isTimeout, loopClock } from './native.ts';

interface Turn {
  /** When it began, by the loop's clock. */
  readonly began: number;
  /** It is the callback of a timeout, and others may follow in the same round. */
  readonly inRound: boolean;
}

let turn: Turn | undefined;
let fires: ((timer: object) => void) | undefined;
let hook: ReturnType<typeof createHook> | undefined;
let isResting = false;
let count = 0;

export function followTurns(): void {
  if (turn !== undefined) return;
  turn = { began: loopClock(), inRound: false };
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
  if (!isResting) hook.enable();
}

/** While Node calls nothing: whoever runs turns of its own one after the other spares each of them a call. */
export function restTurns(isToRest: boolean): void {
  if (isResting === isToRest) return;
  isResting = isToRest;
  if (isToRest) hook?.disable();
  else hook?.enable();
}

function before(): void {
  const resource = executionAsyncResource();
  fires?.(resource);
  if (isWithinTurn(resource)) return;
  count++;
  if (turn !== undefined) turn = { began: loopClock(), inRound: isTimeout(resource) };
}

/** So many turns of Node's have begun, if they are watched: with a turn's end Node tells of promises that were rejected in it. */
export function turnCount(): number {
  return count;
}

/** A turn begins that Node knows nothing of: the callback of a timer, or none. */
export function beginTurn(timer: object): void {
  if (turn !== undefined) turn = { began: loopClock(), inRound: isTimeout(timer) };
}

/** Ticks and microtasks belong to the turn that queued them. */
function isWithinTurn(resource: object): boolean {
  const prototype = Reflect.getPrototypeOf(resource);
  return prototype === Object.prototype || prototype === AsyncResource.prototype;
}

/** The time by which timers wait: that at which the turn began, if turns are followed. */
export function turnClock(): number {
  return turn?.began ?? loopClock();
}

/** False if no timeout can fire before the immediates that wait. */
export function mayBeInRound(): boolean {
  return turn?.inRound ?? true;
}
