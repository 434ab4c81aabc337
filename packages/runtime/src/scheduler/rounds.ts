// The event loop of a worker: rounds of turns, between which it takes messages and events. The effect of a round depends on these and on the round after
// which each was taken; time decides only when the loop looks, and how long the next rounds are, which is recorded.

import type { Realm } from '@turntable/core';
import type { Actor } from '../actors/actor.ts';
import type { Company } from './company.ts';
import type { Pace, SchedulerHost } from '../host.ts';
import type { Ingests } from '../trace/ingests.ts';
import type { MessageQueue, Pump } from '../messaging/message-queue.ts';
import type { Neighbours } from '../messaging/neighbours.ts';
import type { Turns } from './turns.ts';

/** Milliseconds after which Node has its turn. */
const SLICE = 1;
/** Milliseconds of a round: what is sent in it, and what comes meanwhile, waits for its end. */
const LONG_ROUND = 0.5;
const SHORT_ROUND = 0.1;

export interface RoundsParts {
  readonly realm: Realm;
  readonly host: SchedulerHost;
  readonly pace: Pace;
  readonly queue: MessageQueue<Actor>;
  readonly company: Company;
  readonly turns: Turns;
  readonly ingests: Ingests;
  readonly neighbours: Neighbours;
  readonly pump: Pump;
  /** Spends a little time on what waits for some; whether anything is left. */
  spare(isIdle: boolean): boolean;
}

export class Rounds {
  /** So many so far, those in which there was nothing to do left out. */
  count = 0;
  /** Turns of the next one. */
  length: number;
  /** Whether the loop is to run. */
  isDue = false;
  #isHeld = false;
  readonly #parts: RoundsParts;
  readonly #pump: Pump;

  constructor(parts: RoundsParts) {
    this.#parts = parts;
    this.#pump = parts.pump;
    this.length = parts.pace.round;
  }

  wake(): void {
    if (this.#pump.isAwake) return;
    this.#pump.isAwake = this.isDue = true;
    this.#parts.host.soon(() => this.#run());
  }

  /** Nothing runs until it is let go. */
  hold(): void {
    this.#isHeld = true;
    this.#pump.isAwake = true;
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  letGo(): void {
    this.#isHeld = false;
    this.#pump.isAwake = false;
    this.wake();
  }

  #run(): void {
    const { realm, host, queue, ingests, neighbours, turns } = this.#parts;
    this.isDue = false;
    if (this.#isHeld) return;
    this.#pump.isAwake = true;
    const { context } = realm.now;
    let looked = host.now();
    const until = looked + SLICE;
    let isLeft = true;
    try {
      realm.jobs.attend(true);
      host.awake();
      this.#finish();
      let hasSent = neighbours.publish();
      do {
        const hasCome = this.#ingest();
        if (ingests.isDue() || this.#isHeld) {
          // Others may wait for what was sent meanwhile.
          if (neighbours.publish()) hasSent = true;
          isLeft = this.#await(hasSent);
          hasSent = false;
          looked = host.now();
          continue;
        }
        // Whoever kills the process may want to see at what it was.
        if (hasCome) ingests.commit();
        // Of what came: modules of classes are evaluated, too.
        this.#finish();
        const before = turns.count;
        if (!queue.isEmpty()) this.count++;
        isLeft = queue.run(this.length) || hasCome || ingests.isDue();
        if (neighbours.publish()) hasSent = true;
        looked = this.#worked(looked, turns.count - before);
        if (this.#parts.spare(!isLeft) || !ingests.isEmpty) isLeft = true;
        // From the second round on: most that a program is called for from outside is done in one.
        if (isLeft) host.outside?.rest(true);
        if (!isLeft && !neighbours.isAlone) {
          isLeft = host.rest(ingests.isFollowing ? this.#hasNotCome : neighbours.taking.isEmpty, hasSent);
          hasSent = false;
          looked = host.now();
        }
      } while (isLeft && looked < until && !this.#isHeld);
    } finally {
      realm.jobs.attend(false);
      host.outside?.rest(false);
      this.#pump.isAwake = isLeft || this.#isHeld;
      realm.now.context = context;
      ingests.commit();
      ingests.following?.wake();
      if (isLeft && !this.#isHeld) {
        this.isDue = true;
        this.#parts.host.later(() => this.#run());
      }
    }
  }

  /** What is left of code outside of turns is no part of the first one. As in Node: it may be running its microtasks, and ticks come behind these. */
  #finish(): void {
    const { jobs } = this.#parts.realm;
    if (!jobs.isLeft()) return;
    jobs.drain();
    if (jobs.isLeft()) jobs.finish();
  }

  /** In a run again: what is next has not come yet. Whether it has meanwhile; otherwise it wakes this worker when it does. */
  #await(hasSent: boolean): boolean {
    const { host, ingests, neighbours } = this.#parts;
    if (this.#isHeld || neighbours.isAlone || ingests.following?.halt !== undefined) return false;
    return ingests.areMessagesDue ? host.expect(this.#hasNotCome, hasSent) : host.rest(this.#hasNotCome, hasSent);
  }

  readonly #hasNotCome = (): boolean => {
    const { ingests, neighbours } = this.#parts;
    return !ingests.haveCome() && !neighbours.taking.isRoomMade;
  };

  /** A round has ended that began at a moment; answers the moment now. The next ones are longer or shorter if this one was too short or too long. */
  #worked(since: number, turns: number): number {
    const { company, ingests, pace } = this.#parts;
    const now = company.worked(since, turns);
    if (ingests.isFollowing) return now;
    const round = this.length;
    let next = round;
    if (now - since > LONG_ROUND) next = Math.max(1, round >> 2);
    else if (turns >= round && now - since < SHORT_ROUND) next = Math.min(pace.round, round * 4);
    if (next !== round) ingests.happened('pace', String(next), () => this.setLength(next));
    return now;
  }

  setLength(turns: number): boolean {
    this.length = turns;
    return true;
  }

  /** Takes what is to be taken now, if it is there; whether it was. */
  #again(): boolean {
    const { ingests, neighbours } = this.#parts;
    neighbours.taking.publishSpilled();
    try {
      return ingests.again();
    } catch (error) {
      // Whoever follows has been told: it differs, or stops in the midst of this.
      if (ingests.following?.halt !== undefined) return false;
      throw error;
    }
  }

  /** Takes what has come from outside; whether anything has. */
  #ingest(): boolean {
    const { ingests, neighbours } = this.#parts;
    if (ingests.isFollowing) return this.#again();
    const hasHappened = ingests.events();
    const hasCome = neighbours.taking.ingest();
    // Who has sent what was just taken may have known that a worker has ended, and this one has learned it by that.
    return (hasCome && ingests.events()) || hasCome || hasHappened;
  }
}
