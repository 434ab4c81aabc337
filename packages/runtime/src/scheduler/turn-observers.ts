// Who else has to do with a turn, beside its actor: subscribers of the diagnostics channels, who looks on, Node's asynchronous contexts if what the
// turn begins may call back, the clock if turns are long. Most turns have no company, which costs them one look.

import type { ContextRunner, HomeActor, Realm } from '@turntable/core';
import { ActorCell } from '../actors/actor-cell.ts';
import { countTurnObservers, observed, publishSettle, publishTurn, type TurnSubject } from '../channels.ts';
import type { HostCallbacks, SchedulerHost } from '../scheduler-host.ts';
import { FULFIL, REJECT } from '../messaging/message-kinds.ts';
import type { TurnObserver } from '../turn-observer.ts';

/** Milliseconds of a turn that is timed by itself. */
const LONG_TURN_MS = 0.02;

export class TurnObservers {
  readonly #realm: Realm;
  readonly #host: SchedulerHost;
  readonly #main: ActorCell;
  /** So far. */
  readonly #turnCount: () => number;
  /** Whether there is any but subscribers. */
  #isCounted = false;
  observer: TurnObserver | undefined;
  readonly #observers: { snapshot: TurnObserver | undefined; other: TurnObserver | undefined } = {
    snapshot: undefined,
    other: undefined,
  };
  /** Runs turns so that Node knows whose code it is. */
  #hostCallbacks: HostCallbacks | undefined;
  #hasActors = false;
  /** Whether turns take so long that each is worth looks at the clock. */
  #isTimed = false;
  /** Milliseconds that turns have taken. */
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

  /** Something is going to live here beside the main program. */
  enableHostCallbacks(): void {
    if (this.#hasActors) return;
    this.#hasActors = true;
    if (this.#host.hostCallbacks?.isEnabled === true) this.#useHostCallbacks();
  }

  /** Two at a time: a snapshot, and somebody else. */
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

  /** `sender`: of a message that says who has sent it. */
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

  /** `turns` turns have ended since the time `since`; answers the time now. Short turns count for the last actor, long ones are timed one by one. */
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

  /** From now on what this thread's program makes may call it back. */
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
