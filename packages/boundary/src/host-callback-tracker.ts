// Detects when the host becomes able to call the program of this thread: the program has imported a builtin that does
// I/O, has used a global that calls back, or has created a timer on behalf of an actor. From then on Node's
// asynchronous contexts carry the home of each callback (an actor, or the thread itself). Until then, tracking costs
// nothing. Tracking also starts once the program uses contexts itself, because values of one actor must not reach the
// turns of others.
import asyncHooks from 'node:async_hooks';
import { ROOT_HOME, type ContextRunner, type HomeActor, type Realm } from '@turntable/core';
import { builtinEntry, isInspectingContext, type LoadEvents } from '@turntable/loader';
import { setBeforeTimer } from './timers/timer-functions.ts';
import { pauseTracking } from './timers/loop-turn.ts';
import type { Timers } from './timers/timers.ts';
import type { AsyncContexts } from './realm/async-contexts.ts';

/** The native function. The program uses an instrumented one. */
const { createHook } = asyncHooks;
/** Globals that call the program back, themselves or through the objects that they create. */
const CALLBACK_GLOBALS =
  /\b(?:WebSocket|EventSource|MessageChannel|MessagePort|BroadcastChannel|AbortSignal|PerformanceObserver|addEventListener)\b|\bprocess\s*\.\s*(?:on|once|addListener)\b/;

export class HostCallbackTracker {
  readonly #contexts: AsyncContexts;
  readonly #timers: Timers;
  readonly #enable: () => void;
  #isEnabled = false;
  #onEnabled: (() => void) | undefined;
  #entryHook: ReturnType<typeof createHook> | undefined;

  constructor(
    loadEvents: LoadEvents,
    realm: Realm,
    contexts: AsyncContexts,
    timers: Timers,
    ownDirectories: readonly string[],
  ) {
    this.#timers = timers;
    this.#contexts = contexts;
    const stopWatching = (): void => {
      loadEvents.watchCallbacks(undefined);
      contexts.onFirstUse(undefined);
      setBeforeTimer(undefined);
    };
    const enable = (): void => {
      stopWatching();
      this.#isEnabled = true;
      this.#onEnabled?.();
    };
    this.#enable = enable;
    loadEvents.watchCallbacks({
      onBuiltin(id) {
        if (builtinEntry(id)?.class === 'device') enable();
      },
      onDevice(filename) {
        if (!ownDirectories.some((directory) => filename.startsWith(directory))) enable();
      },
      onSource(text) {
        if (CALLBACK_GLOBALS.test(text)) enable();
      },
    });
    contexts.onFirstUse(enable);
    setBeforeTimer(() => {
      if (realm.current.context.home !== ROOT_HOME) enable();
    });
  }

  get isEnabled(): boolean {
    return this.#isEnabled;
  }

  /** Enables tracking after a restore. Must be called for a state whose process had tracking enabled. */
  restoreEnabled(): void {
    if (!this.#isEnabled) this.#enable();
  }

  onEnabled(listener: () => void): void {
    this.#onEnabled = listener;
  }

  contextOf(home: HomeActor): ContextRunner {
    return this.#contexts.contextOf(home);
  }

  /** @param watcher called with the home before each call of the program from Node's loop, at a cost of about 0.3 µs */
  watchEntries(watcher: ((home: HomeActor) => void) | undefined): void {
    this.#entryHook?.disable();
    this.#entryHook = undefined;
    if (watcher === undefined) return;
    const before = (): void => {
      if (!isInspectingContext()) watcher(this.#contexts.currentHome() ?? ROOT_HOME);
    };
    // Callbacks of native promises are noticed where they settle a promise of the program.
    this.#entryHook = createHook({ before, trackPromises: false } as Parameters<typeof createHook>[0]).enable();
  }

  /** Pauses the tracking of the event loop's turns while Node calls nothing. */
  setIdle(isIdle: boolean): void {
    pauseTracking(isIdle);
  }

  clearTimersOf(homes: ReadonlySet<HomeActor>): void {
    // Before tracking is enabled, no actor has a timer.
    if (!this.#isEnabled) return;
    this.#timers.clearWhere((context) => {
      const home = this.#contexts.homeOf(context);
      return home !== undefined && homes.has(home);
    });
  }

  enter(home: HomeActor): void {
    this.#contexts.enterHome(home);
  }
}
