// Who else has to do with a turn, beside its actor: subscribers of the diagnostics channels, who looks on, Node's asynchronous contexts if what the
// turn begins may call back, the clock if turns are long. Most turns have no company, which costs them one look.

import type { ContextRunner, Home, Realm } from '@turntable/core';
import { Actor } from '../actors/actor.ts';
import { keepCompany, observed, publishSettle, publishTurn, type Called } from '../channels.ts';
import type { Outside, SchedulerHost } from '../host.ts';
import { FULFIL, REJECT } from '../messaging/message-kinds.ts';
import type { Onlooker } from '../onlooker.ts';

/** Milliseconds of a turn that is timed by itself. */
const LONG_TURN = 0.02;

export class Company {
  readonly #realm: Realm;
  readonly #host: SchedulerHost;
  readonly #main: Actor;
  /** So far. */
  readonly #turns: () => number;
  /** Whether there is any but subscribers. */
  #isPresent = false;
  onlooker: Onlooker | undefined;
  readonly #onlookers: { snapshot: Onlooker | undefined; other: Onlooker | undefined } = {
    snapshot: undefined,
    other: undefined,
  };
  /** Runs turns so that Node knows whose code it is. */
  #outside: Outside | undefined;
  #hasActors = false;
  /** Whether turns take so long that each is worth looks at the clock. */
  #isTimed = false;
  /** Milliseconds that turns have taken. */
  busy = 0;

  constructor(realm: Realm, host: SchedulerHost, main: Actor, turns: () => number) {
    this.#realm = realm;
    this.#host = host;
    this.#main = main;
    this.#turns = turns;
    host.outside?.whenReached(() => {
      if (this.#hasActors) this.#goOutside();
    });
  }

  /** Something is going to live here beside the main program. */
  hasActors(): void {
    if (this.#hasActors) return;
    this.#hasActors = true;
    if (this.#host.outside?.isReached === true) this.#goOutside();
  }

  /** Two at a time: a snapshot, and somebody else. */
  watch(onlooker: Onlooker | undefined, place: 'snapshot' | 'other'): void {
    this.#onlookers[place] = onlooker;
    const { snapshot, other } = this.#onlookers;
    this.#lookOn(snapshot === undefined ? other : other === undefined ? snapshot : both(snapshot, other));
  }

  #lookOn(onlooker: Onlooker | undefined): void {
    this.onlooker = onlooker;
    this.#count();
    const { jobs } = this.#realm;
    const { outside } = this.#host;
    const actorOf = (home: Home): Actor => (home instanceof Actor ? home : this.#main);
    jobs.watch(onlooker?.touch === undefined ? undefined : (home) => onlooker.touch?.(actorOf(home)));
    if (onlooker?.touch === undefined && onlooker?.enter === undefined) return outside?.watchEntries(undefined);
    let turn = this.#turns();
    let entries = 0;
    return outside?.watchEntries((home) => {
      const actor = actorOf(home);
      const now = this.#turns();
      if (turn !== now) {
        turn = now;
        entries = 0;
      }
      onlooker.enter?.(actor, turn, ++entries);
      onlooker.touch?.(actor);
    });
  }

  /** `sender`: of a message that says who has sent it. */
  keep(actor: Actor, call: Called, sender: Actor | undefined, turn: () => void): void {
    this.onlooker?.touch?.(actor);
    const number = this.#turns() + 1;
    const isTold = observed.turns;
    if (isTold) {
      publishTurn('start', number, actor, call, sender);
      if (sender !== undefined && (call === FULFIL || call === REJECT)) publishSettle(actor, call === REJECT, sender);
    }
    this.onlooker?.begins?.(number, actor, call, sender);
    const began = this.#isTimed ? this.#host.now() : undefined;
    if (this.#outside === undefined) turn();
    else this.#runnerOf(actor, this.#outside)(turn, undefined, 0, undefined);
    if (began !== undefined) actor.busy += this.#host.now() - began;
    this.onlooker?.ends?.(number, actor, call);
    if (isTold) publishTurn('end', number, actor, call, sender);
  }

  /** `turns` turns have ended since the time `since`; answers the time now. Short turns count for the last actor, long ones are timed one by one. */
  worked(since: number, turns: number): number {
    const now = this.#host.now();
    this.busy += now - since;
    if (turns === 0) return now;
    const { home } = this.#realm.now.context;
    if (!this.#isTimed && home instanceof Actor) home.busy += now - since;
    const isTimed = now - since > turns * LONG_TURN;
    if (isTimed !== this.#isTimed) {
      this.#isTimed = isTimed;
      this.#count();
    }
    return now;
  }

  #count(): void {
    const isPresent = this.onlooker !== undefined || this.#outside !== undefined || this.#isTimed;
    if (isPresent !== this.#isPresent) keepCompany(isPresent ? 1 : -1);
    this.#isPresent = isPresent;
  }

  #runnerOf(actor: Actor, outside: Outside): ContextRunner {
    const { home, store } = actor.context;
    if (store !== undefined) return store as ContextRunner;
    const runner = outside.contextOf(home);
    actor.context = { home, store: runner, trail: undefined };
    return runner;
  }

  /** From now on what this thread's program makes may call it back. */
  #goOutside(): void {
    const { outside } = this.#host;
    if (outside === undefined || this.#outside !== undefined) return;
    this.#outside = outside;
    this.#count();
    const { home } = this.#realm.now.context;
    if (home instanceof Actor) outside.enter(home);
  }
}

function both(first: Onlooker, second: Onlooker): Onlooker {
  return {
    touch(actor) {
      first.touch?.(actor);
      second.touch?.(actor);
    },
    enter(actor, turn, entry) {
      first.enter?.(actor, turn, entry);
      second.enter?.(actor, turn, entry);
    },
    given(on, args, settles) {
      first.given?.(on, args, settles);
      second.given?.(on, args, settles);
    },
    begins(turn, actor, call, sender) {
      first.begins?.(turn, actor, call, sender);
      second.begins?.(turn, actor, call, sender);
    },
    ends(turn, actor, call) {
      first.ends?.(turn, actor, call);
      second.ends?.(turn, actor, call);
    },
    cut(phase, isBare) {
      first.cut?.(phase, isBare);
      second.cut?.(phase, isBare);
    },
    take(from, sentIn) {
      first.take?.(from, sentIn);
      second.take?.(from, sentIn);
    },
  };
}
