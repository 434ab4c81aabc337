// The observers of turns: subscribers of diagnostics channels, snapshots and debuggers, Node's async contexts if a turn
// may cause host callbacks, and the clock if turns are long. Most turns have no observers, which costs them a single
// check.

import type { ContextRunner, HomeActor, Realm } from '@turntable/core';
import { ActorCell } from '../actors/actor-cell.ts';
import { countTurnObservers, observed, publishSettle, publishTurn, type TurnSubject } from '../channels.ts';
import type { HostCallbacks, SchedulerHost } from '../scheduler-host.ts';
import { FULFIL, REJECT } from '../messaging/message-kinds.ts';
import type { TurnObserver } from '../turn-observer.ts';

/** Mean duration of a round's turns, in milliseconds, above which each turn is timed. */
const LONG_TURN_MS = 0.02;

export class TurnObservers {
  readonly #realm: Realm;
  readonly #host: SchedulerHost;
  readonly #main: ActorCell;
  readonly #turnCount: () => number;
  /** Whether this thread is counted in `countTurnObservers`. */
  #isCounted = false;
  observer: TurnObserver | undefined;
  readonly #observers: { snapshot: TurnObserver | undefined; other: TurnObserver | undefined } = {
    snapshot: undefined,
    other: undefined,
  };
  /** Runs turns in the async contexts of their actors. Set once host callbacks are possible. */
  #hostCallbacks: HostCallbacks | undefined;
  #hasActors = false;
  /** Whether turns are so long that each one is timed. */
  #isTimed = false;
  /** Time spent in turns, in milliseconds. */
  busy = 0;

  constructor(realm: Realm, host: SchedulerHost, main: ActorCell, turnCount: () => number) {
    this.#realm = realm;
    this.#host = host;
    this.#main = main;
    this.#turnCount = turnCount;
    host.hostCallbacks?.onEnabled(() => {
      if (this.#hasActors) this.#useHostCallbacks();
    });
  }

  /** Prepares for host callbacks; called when the thread gets actors in addition to the main program. */
  enableHostCallbacks(): void {
    if (this.#hasActors) return;
    this.#hasActors = true;
    if (this.#host.hostCallbacks?.isEnabled === true) this.#useHostCallbacks();
  }

  /** Sets the observer of snapshots, or the other one. */
  setObserver(observer: TurnObserver | undefined, slot: 'snapshot' | 'other'): void {
    this.#observers[slot] = observer;
    const { snapshot, other } = this.#observers;
    this.#setCombined(
      snapshot === undefined ? other : other === undefined ? snapshot : combineObservers(snapshot, other),
    );
  }

  #setCombined(observer: TurnObserver | undefined): void {
    this.observer = observer;
    this.#updateCount();
    const { jobs } = this.#realm;
    const { hostCallbacks } = this.#host;
    const actorOf = (home: HomeActor): ActorCell => (home instanceof ActorCell ? home : this.#main);
    jobs.watchHomes(observer?.touch === undefined ? undefined : (home) => observer.touch?.(actorOf(home)));
    if (observer?.touch === undefined && observer?.beforeHostCallback === undefined)
      return hostCallbacks?.watchEntries(undefined);
    let turn = this.#turnCount();
    let entries = 0;
    return hostCallbacks?.watchEntries((home) => {
      const actor = actorOf(home);
      const now = this.#turnCount();
      if (turn !== now) {
        turn = now;
        entries = 0;
      }
      observer.beforeHostCallback?.(actor, turn, ++entries);
      observer.touch?.(actor);
    });
  }

  /** Runs a turn and notifies its observers. `sender`: the sender of the message, if known. */
  runTurn(actor: ActorCell, call: TurnSubject, sender: ActorCell | undefined, runTurnBody: () => void): void {
    this.observer?.touch?.(actor);
    const number = this.#turnCount() + 1;
    const isPublished = observed.turns;
    if (isPublished) {
      publishTurn('start', number, actor, call, sender);
      if (sender !== undefined && (call === FULFIL || call === REJECT)) publishSettle(actor, call === REJECT, sender);
    }
    this.observer?.turnStarted?.(number, actor, call, sender);
    const startedAt = this.#isTimed ? this.#host.now() : undefined;
    if (this.#hostCallbacks === undefined) runTurnBody();
    else this.#runnerOf(actor, this.#hostCallbacks)(runTurnBody, undefined, 0, undefined);
    if (startedAt !== undefined) actor.busy += this.#host.now() - startedAt;
    this.observer?.turnEnded?.(number, actor, call);
    if (isPublished) publishTurn('end', number, actor, call, sender);
  }

  /** Adds the time since `since` to the busy time, also of the last actor if turns are not timed. Returns the time. */
  roundEnded(since: number, turnCount: number): number {
    const now = this.#host.now();
    this.busy += now - since;
    if (turnCount === 0) return now;
    const { home } = this.#realm.current.context;
    if (!this.#isTimed && home instanceof ActorCell) home.busy += now - since;
    const isTimed = now - since > turnCount * LONG_TURN_MS;
    if (isTimed !== this.#isTimed) {
      this.#isTimed = isTimed;
      this.#updateCount();
    }
    return now;
  }

  #updateCount(): void {
    const isNeeded = this.observer !== undefined || this.#hostCallbacks !== undefined || this.#isTimed;
    if (isNeeded !== this.#isCounted) countTurnObservers(isNeeded ? 1 : -1);
    this.#isCounted = isNeeded;
  }

  #runnerOf(actor: ActorCell, hostCallbacks: HostCallbacks): ContextRunner {
    const { home, store } = actor.context;
    if (store !== undefined) return store as ContextRunner;
    const runner = hostCallbacks.contextOf(home);
    actor.context = { home, store: runner, trail: undefined };
    return runner;
  }

  /** Runs turns in the contexts of their actors from now on, since the program may cause host callbacks. */
  #useHostCallbacks(): void {
    const { hostCallbacks } = this.#host;
    if (hostCallbacks === undefined || this.#hostCallbacks !== undefined) return;
    this.#hostCallbacks = hostCallbacks;
    this.#updateCount();
    const { home } = this.#realm.current.context;
    if (home instanceof ActorCell) hostCallbacks.enter(home);
  }
}

function combineObservers(first: TurnObserver, second: TurnObserver): TurnObserver {
  return {
    touch(actor) {
      first.touch?.(actor);
      second.touch?.(actor);
    },
    beforeHostCallback(actor, turn, entry) {
      first.beforeHostCallback?.(actor, turn, entry);
      second.beforeHostCallback?.(actor, turn, entry);
    },
    turnInput(on, args, replyTo) {
      first.turnInput?.(on, args, replyTo);
      second.turnInput?.(on, args, replyTo);
    },
    turnStarted(turn, actor, call, sender) {
      first.turnStarted?.(turn, actor, call, sender);
      second.turnStarted?.(turn, actor, call, sender);
    },
    turnEnded(turn, actor, call) {
      first.turnEnded?.(turn, actor, call);
      second.turnEnded?.(turn, actor, call);
    },
    cut(phase, isCutPoint) {
      first.cut?.(phase, isCutPoint);
      second.cut?.(phase, isCutPoint);
    },
    messageTaken(from, sentIn) {
      first.messageTaken?.(from, sentIn);
      second.messageTaken?.(from, sentIn);
    },
  };
}
