// Whether the program of this thread can be called back from outside: it has imported what does I/O, names what calls back, or has made a
// timer on behalf of an actor. From then on Node's asynchronous contexts say whose code a callback is; until then nobody pays for that. The
// same if it uses them itself: what one actor stores there is nothing to the turns of others.
import asyncHooks from 'node:async_hooks';
import { ROOT_HOME, type ContextRunner, type Home, type Realm } from '@turntable/core';
import { builtinEntry, isUnheard, type LoadEvents } from '@turntable/loader';
import { watchTimers } from './timers/functions.ts';
import { restTurns } from './timers/turn.ts';
import type { AsyncContexts } from './realm/async-context.ts';

/** Node's own: the program's is noted. */
const { createHook } = asyncHooks;
/** Globals that call back, by themselves or through what they make. */
const CALLING_BACK =
  /\b(?:WebSocket|EventSource|MessageChannel|MessagePort|BroadcastChannel|AbortSignal|PerformanceObserver|addEventListener)\b|\bprocess\s*\.\s*(?:on|once|addListener)\b/;

export class Outside {
  readonly #contexts: AsyncContexts;
  readonly #reach: () => void;
  #isReached = false;
  #reached: (() => void) | undefined;
  #entries: ReturnType<typeof createHook> | undefined;

  constructor(loads: LoadEvents, realm: Realm, contexts: AsyncContexts, own: readonly string[]) {
    this.#contexts = contexts;
    const stop = (): void => {
      loads.watchCallbacks(undefined);
      contexts.whenUsed(undefined);
      watchTimers(undefined);
    };
    const reach = (): void => {
      stop();
      this.#isReached = true;
      this.#reached?.();
    };
    this.#reach = reach;
    loads.watchCallbacks({
      builtin(id) {
        if (builtinEntry(id)?.class === 'device') reach();
      },
      device(filename) {
        if (!own.some((directory) => filename.startsWith(directory))) reach();
      },
      source(text) {
        if (CALLING_BACK.test(text)) reach();
      },
    });
    contexts.whenUsed(reach);
    watchTimers(() => {
      if (realm.now.context.home !== ROOT_HOME) reach();
    });
  }

  get isReached(): boolean {
    return this.#isReached;
  }

  /** In the process from which a restored program comes, callbacks were possible. */
  restoreReached(): void {
    if (!this.#isReached) this.#reach();
  }

  /** `reached`: it can, from now on. */
  whenReached(reached: () => void): void {
    this.#reached = reached;
  }

  /** Runs what it is given as somebody's code. */
  contextOf(home: Home): ContextRunner {
    return this.#contexts.contextOf(home);
  }

  /** Tells whose code native code is about to call, each time it calls any from its own loop. Costs each of these calls some 0.3 µs. */
  watchEntries(watcher: ((home: Home) => void) | undefined): void {
    this.#entries?.disable();
    this.#entries = undefined;
    if (watcher === undefined) return;
    const before = (): void => {
      if (!isUnheard()) watcher(this.#contexts.home() ?? ROOT_HOME);
    };
    // What native promises call is seen elsewhere: it settles what is the program's.
    this.#entries = createHook({ before, trackPromises: false } as Parameters<typeof createHook>[0]).enable();
  }

  /** Until it is told otherwise Node calls nobody: who watches its turns need not look. */
  rest(isToRest: boolean): void {
    restTurns(isToRest);
  }

  /** What runs now is somebody's code, to its end. */
  enter(home: Home): void {
    this.#contexts.enterHome(home);
  }
}
