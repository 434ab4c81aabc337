// The event loop of a worker: rounds of turns, between which it takes messages and events. The effect of a round
// depends only on these ingests and on the number of earlier rounds. Time decides only when the loop polls and how long
// later rounds are, and both are recorded.

import type { Realm } from '@turntable/core';
import type { ActorCell } from '../actors/actor-cell.ts';
import type { Termination } from '../actors/termination.ts';
import type { TurnObservers } from './turn-observers.ts';
import type { RoundLimits, SchedulerHost } from '../scheduler-host.ts';
import type { Ingests } from '../trace/ingests.ts';
import type { MessageQueue, Pump } from '../messaging/message-queue.ts';
import type { WorkerLinks } from '../messaging/worker-links.ts';
import type { Turns } from './turns.ts';

/** Time after which the loop yields to Node, in milliseconds. */
const SLICE_MS = 1;
/** Times that rounds should take, in milliseconds. Messages sent or received during a round wait for its end. */
const LONG_ROUND_MS = 0.5;
const SHORT_ROUND_MS = 0.1;

export interface TurnLoopDeps {
  readonly realm: Realm;
  readonly host: SchedulerHost;
  readonly limits: RoundLimits;
  readonly queue: MessageQueue<ActorCell>;
  readonly turnObservers: TurnObservers;
  readonly turns: Turns;
  readonly termination: Termination;
  readonly ingests: Ingests;
  readonly workerLinks: WorkerLinks;
  readonly pump: Pump;
  /** Spends a little time on deferred work. Returns whether any is left. */
  runSpareWork(isIdle: boolean): boolean;
}

export class TurnLoop {
  /** Number of rounds. Rounds without work do not count. */
  roundCount = 0;
  /** Maximum number of turns of the next round. */
  turnsPerRound: number;
  /** Whether a run of the loop is scheduled. */
  isScheduled = false;
  #isPaused = false;
  /** Whether the loop has yielded for rejections since the last round. */
  #hasYieldedForRejections = false;
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

  /** Stops running turns until `resume`. */
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
    const { realm, host, queue, ingests, workerLinks, turns, termination } = this.#deps;
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
      ingests.settle();
      let hasSent = workerLinks.publish();
      do {
        if (this.#mustYieldForRejections()) break;
        const hasIngested = this.#ingest();
        if (ingests.isDue() || this.#isPaused) {
          // Published first, since other workers may wait for messages sent in the meantime.
          if (workerLinks.publish()) hasSent = true;
          hasMore = this.#waitForNext(hasSent);
          hasSent = false;
          lastLook = host.now();
          continue;
        }
        // If the process is killed, its trace should include these ingests.
        if (hasIngested) ingests.commit();
        // Ingests can create jobs, for example by evaluating the module of a class.
        this.#drainJobs();
        const before = turns.count;
        if (!queue.isEmpty() && !this.#beginRound()) {
          hasMore = false;
          break;
        }
        hasMore = queue.run(this.turnsPerRound) || hasIngested || ingests.isDue();
        termination.endRound();
        ingests.settle();
        if (workerLinks.publish()) hasSent = true;
        lastLook = this.#endRound(lastLook, turns.count - before);
        if (this.#deps.runSpareWork(!hasMore) || !ingests.isEmpty) hasMore = true;
        // Only from the second round on, since most host callbacks need a single round.
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

  /**
   * Whether Node must report unhandled rejections before the next event, because the program and the state show whether
   * they are reported. Node does so when the loop yields.
   */
  #mustYieldForRejections(): boolean {
    const mustYield = !this.#hasYieldedForRejections && this.#deps.realm.parts.rejections.hasPending();
    this.#hasYieldedForRejections = mustYield;
    return mustYield;
  }

  /** Returns false if a replay ends before this round. */
  #beginRound(): boolean {
    if (!this.#deps.ingests.beginRound(this.roundCount + 1)) return false;
    this.roundCount++;
    return true;
  }

  /** Runs jobs of code outside turns before the first turn. Jobs precede ticks, as in Node's microtask phase. */
  #drainJobs(): void {
    const { jobs } = this.#deps.realm;
    if (!jobs.hasWork()) return;
    jobs.drain();
    if (jobs.hasWork()) jobs.drainAll();
  }

  /** In a replay: waits briefly for the next event. Returns false if the event's arrival will wake this worker. */
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

  /** Ends a round that started at `since`, and adapts the length of later rounds. Returns the current time. */
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

  /** In a replay: takes due events that have arrived. Returns whether there were any. */
  #replayIngests(): boolean {
    const { ingests, workerLinks } = this.#deps;
    workerLinks.messageIngest.publishSpilled();
    try {
      return ingests.replayDue();
    } catch (error) {
      // The divergence or cut-off has already been reported.
      if (ingests.replayTape?.halt !== undefined) return false;
      throw error;
    }
  }

  /** Takes messages and events in. Returns whether there were any. */
  #ingest(): boolean {
    const { ingests, workerLinks } = this.#deps;
    if (ingests.isReplaying) return this.#replayIngests();
    const hasRunEvents = ingests.runPending();
    const hasTakenMessages = workerLinks.messageIngest.ingest();
    // A sender may know of a worker's loss that this worker has learned from the messages just taken.
    return (hasTakenMessages && ingests.runPending()) || hasTakenMessages || hasRunEvents;
  }
}
