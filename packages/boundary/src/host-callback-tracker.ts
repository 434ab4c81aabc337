// Whether the program of this thread can be called back from outside: it has imported what does I/O, names what calls back, or has made a
// timer on behalf of an actor. From then on Node's asynchronous contexts say whose code a callback is; until then nobody pays for that. The
// same if it uses them itself: what one actor stores there is nothing to the turns of others.
import asyncHooks from 'node:async_hooks';
import { ROOT_HOME, type ContextRunner, type HomeActor, type Realm } from '@turntable/core';
import { builtinEntry, isInspectingContext, type LoadEvents } from '@turntable/loader';
import { setBeforeTimer } from './timers/timer-functions.ts';
import { pauseTracking } from './timers/loop-turn.ts';
import type { AsyncContexts } from './realm/async-contexts.ts';

/** Node's own: the program's is noted. */
const { createHook } = asyncHooks;
/** Globals that call back, by themselves or through what they make. */
const CALLBACK_GLOBALS =
  /\b(?:WebSocket|EventSource|MessageChannel|MessagePort|BroadcastChannel|AbortSignal|PerformanceObserver|addEventListener)\b|\bprocess\s*\.\s*(?:on|once|addListener)\b/;

export class HostCallbackTracker {
  readonly #contexts: AsyncContexts;
  readonly #enable: () => void;
  #isEnabled = false;
  #onEnabled: (() => void) | undefined;
  #entryHook: ReturnType<typeof createHook> | undefined;

  constructor(loadEvents: LoadEvents, realm: Realm, contexts: AsyncContexts, ownDirectories: readonly string[]) {
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

  /** In the process from which a restored program comes, callbacks were possible. */
  restoreEnabled(): void {
    if (!this.#isEnabled) this.#enable();
  }

  /** `listener`: it can, from now on. */
  onEnabled(listener: () => void): void {
    this.#onEnabled = listener;
  }

  /** Runs what it is given as somebody's code. */
  contextOf(home: HomeActor): ContextRunner {
    return this.#contexts.contextOf(home);
  }

  /** Tells whose code native code is about to call, each time it calls any from its own loop. Costs each of these calls some 0.3 µs. */
  watchEntries(watcher: ((home: HomeActor) => void) | undefined): void {
    this.#entryHook?.disable();
    this.#entryHook = undefined;
    if (watcher === undefined) return;
    const before = (): void => {
      if (!isInspectingContext()) watcher(this.#contexts.currentHome() ?? ROOT_HOME);
    };
    // What native promises call is seen elsewhere: it settles what is the program's.
    this.#entryHook = createHook({ before, trackPromises: false } as Parameters<typeof createHook>[0]).enable();
  }

  /** Until it is told otherwise Node calls nobody: who watches its turns need not look. */
  setIdle(isIdle: boolean): void {
    pauseTracking(isIdle);
  }

  /** What runs now is somebody's code, to its end. */
  enter(home: HomeActor): void {
    this.#contexts.enterHome(home);
  }
}
