// The event loop of a worker: rounds of turns, between which it takes messages and events. The effect of a round depends on these and on the round after
// which each was taken; time decides only when the loop looks, and how long the next rounds are, which is recorded.

import type { Realm } from '@turntable/core';
import type { ActorCell } from '../actors/actor-cell.ts';
import type { TurnObservers } from './turn-observers.ts';
import type { RoundLimits, SchedulerHost } from '../scheduler-host.ts';
import type { Ingests } from '../trace/ingests.ts';
import type { MessageQueue, Pump } from '../messaging/message-queue.ts';
import type { WorkerLinks } from '../messaging/worker-links.ts';
import type { Turns } from './turns.ts';

/** Milliseconds after which Node has its turn. */
const SLICE_MS = 1;
/** Milliseconds of a round: what is sent in it, and what comes meanwhile, waits for its end. */
const LONG_ROUND_MS = 0.5;
const SHORT_ROUND_MS = 0.1;

export interface TurnLoopDeps {
  readonly realm: Realm;
  readonly host: SchedulerHost;
  readonly limits: RoundLimits;
  readonly queue: MessageQueue<ActorCell>;
  readonly turnObservers: TurnObservers;
  readonly turns: Turns;
  readonly ingests: Ingests;
  readonly workerLinks: WorkerLinks;
  readonly pump: Pump;
  /** Spends a little time on what waits for some; whether anything is left. */
  runSpareWork(isIdle: boolean): boolean;
}

export class TurnLoop {
  /** So many so far, those in which there was nothing to do left out. */
  roundCount = 0;
  /** Turns of the next one. */
  turnsPerRound: number;
  /** Whether the loop is to run. */
  isScheduled = false;
  #isPaused = false;
  readonly #deps: TurnLoopDeps;
  readonly #pump: Pump;

  constructor(deps: TurnLoopDeps) {
    this.#deps = deps;
    this.#pump = deps.pump;
    this.turnsPerRound = deps.limits.turnsPerRound;
  }

  wake(): void {
    if (this.#pump.isAwake) return;
    this.#pump.isAwake = this.isScheduled = true;
    this.#deps.host.queueMicrotask(() => this.#run());
  }

  /** Nothing runs until it is let go. */
  pause(): void {
    this.#isPaused = true;
    this.#pump.isAwake = true;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  resume(): void {
    this.#isPaused = false;
    this.#pump.isAwake = false;
    this.wake();
  }

  #run(): void {
    const { realm, host, queue, ingests, workerLinks, turns } = this.#deps;
    this.isScheduled = false;
    if (this.#isPaused) return;
    this.#pump.isAwake = true;
    const { context } = realm.current;
    let lastLook = host.now();
    const until = lastLook + SLICE_MS;
    let hasMore = true;
    try {
      realm.jobs.suppressAnchors(true);
      host.markAwake();
      this.#drainJobs();
      let hasSent = workerLinks.publish();
      do {
        const hasIngested = this.#ingest();
        if (ingests.isDue() || this.#isPaused) {
          // Others may wait for what was sent meanwhile.
          if (workerLinks.publish()) hasSent = true;
          hasMore = this.#waitForNext(hasSent);
          hasSent = false;
          lastLook = host.now();
          continue;
        }
        // Whoever kills the process may want to see at what it was.
        if (hasIngested) ingests.commit();
        // Of what came: modules of classes are evaluated, too.
        this.#drainJobs();
        const before = turns.count;
        if (!queue.isEmpty()) this.roundCount++;
        hasMore = queue.run(this.turnsPerRound) || hasIngested || ingests.isDue();
        if (workerLinks.publish()) hasSent = true;
        lastLook = this.#endRound(lastLook, turns.count - before);
        if (this.#deps.runSpareWork(!hasMore) || !ingests.isEmpty) hasMore = true;
        // From the second round on: most that a program is called for from outside is done in one.
        if (hasMore) host.hostCallbacks?.setIdle(true);
        if (!hasMore && !workerLinks.isAlone) {
          hasMore = host.waitForWork(
            ingests.isReplaying ? this.#isNothingToTake : workerLinks.messageIngest.isEmpty,
            hasSent,
          );
          hasSent = false;
          lastLook = host.now();
        }
      } while (hasMore && lastLook < until && !this.#isPaused);
    } finally {
      realm.jobs.suppressAnchors(false);
      host.hostCallbacks?.setIdle(false);
      this.#pump.isAwake = hasMore || this.#isPaused;
      realm.current.context = context;
      ingests.commit();
      ingests.replayTape?.wake();
      if (hasMore && !this.#isPaused) {
        this.isScheduled = true;
        this.#deps.host.setImmediate(() => this.#run());
      }
    }
  }

  /** What is left of code outside of turns is no part of the first one. As in Node: it may be running its microtasks, and ticks come behind these. */
  #drainJobs(): void {
    const { jobs } = this.#deps.realm;
    if (!jobs.hasWork()) return;
    jobs.drain();
    if (jobs.hasWork()) jobs.drainAll();
  }

  /** In a run again: what is next has not come yet. Whether it has meanwhile; otherwise it wakes this worker when it does. */
  #waitForNext(hasSent: boolean): boolean {
    const { host, ingests, workerLinks } = this.#deps;
    if (this.#isPaused || workerLinks.isAlone || ingests.replayTape?.halt !== undefined) return false;
    return ingests.areMessagesDue
      ? host.waitForMessages(this.#isNothingToTake, hasSent)
      : host.waitForWork(this.#isNothingToTake, hasSent);
  }

  readonly #isNothingToTake = (): boolean => {
    const { ingests, workerLinks } = this.#deps;
    return !ingests.canTakeMessages() && !workerLinks.messageIngest.hasRoomToPublish;
  };

  /** A round has ended that began at a moment; answers the moment now. The next ones are longer or shorter if this one was too short or too long. */
  #endRound(since: number, turns: number): number {
    const { turnObservers, ingests, limits } = this.#deps;
    const now = turnObservers.roundEnded(since, turns);
    if (ingests.isReplaying) return now;
    const turnsPerRound = this.turnsPerRound;
    let next = turnsPerRound;
    if (now - since > LONG_ROUND_MS) next = Math.max(1, turnsPerRound >> 2);
    else if (turns >= turnsPerRound && now - since < SHORT_ROUND_MS)
      next = Math.min(limits.turnsPerRound, turnsPerRound * 4);
    if (next !== turnsPerRound) ingests.add('round-length', String(next), () => this.setTurnsPerRound(next));
    return now;
  }

  setTurnsPerRound(turns: number): boolean {
    this.turnsPerRound = turns;
    return true;
  }

  /** Takes what is to be taken now, if it is there; whether it was. */
  #replayIngests(): boolean {
    const { ingests, workerLinks } = this.#deps;
    workerLinks.messageIngest.publishSpilled();
    try {
      return ingests.replayDue();
    } catch (error) {
      // Whoever follows has been told: it differs, or stops in the midst of this.
      if (ingests.replayTape?.halt !== undefined) return false;
      throw error;
    }
  }

  /** Takes what has come from outside; whether anything has. */
  #ingest(): boolean {
    const { ingests, workerLinks } = this.#deps;
    if (ingests.isReplaying) return this.#replayIngests();
    const hasRunEvents = ingests.runPending();
    const hasTakenMessages = workerLinks.messageIngest.ingest();
    // Who has sent what was just taken may have known that a worker has ended, and this one has learned it by that.
    return (hasTakenMessages && ingests.runPending()) || hasTakenMessages || hasRunEvents;
  }
}
