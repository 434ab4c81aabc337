// The scheduler of a worker: what the thread, snapshots and observers use of it. Its parts and what they use of each other are in scheduler-parts.ts; all that
// they keep in mind can be read and written.

import type { CallInterceptor, Eventual, Realm } from '@turntable/core';
import type { ObjectAdapter, OrderedTimer } from '@turntable/heap';
import type { SchedulerEvent } from '@turntable/recording';
import { ORDINALS_PER_EPOCH, type ActorCell } from '../actors/actor-cell.ts';
import type { Census } from '../actors/census.ts';
import { watchersOf } from '../actors/termination.ts';
import type { ActorPlacement } from '../actors/actor-placement.ts';
import type { ActorApi } from '../actors/actor-api.ts';
import { RESTORE } from '../actors/supervision-policy.ts';
import { interceptRuntime, type MailboxObserver } from '../interception.ts';
import type { AnswerSender } from '../messaging/answer/answer-sender.ts';
import { AwaitedAnswers } from '../messaging/answer/awaited-answers.ts';
import type { SignalListener } from '../messaging/answer/deadlines.ts';
import type { WorkerLinks } from '../messaging/worker-links.ts';
import type { QueueEntry } from '../messaging/queue-state.ts';
import type { FarReferenceClasses } from '../references/far-reference.ts';
import type { CutPoints } from '../snapshot/cut-points.ts';
import { DeferredReferences } from '../snapshot/deferred-references.ts';
import { runtimeObjects } from '../snapshot/runtime-objects.ts';
import type { RestoredWorker } from '../snapshot/restored-worker.ts';
import type { RevivedWorker } from '../snapshot/revived-worker.ts';
import { WorkerSnapshots, type WorkerSnapshotsDeps } from '../snapshot/worker-snapshots.ts';
import { pressureStatesOf, type SchedulerTables } from '../snapshot/scheduler-tables.ts';
import type { InFlightMessage } from '../snapshot/worker-snapshot.ts';
import type { RecordedAnswer } from '../trace/recorded-answer.ts';
import type { ReplayedScheduler } from '../trace/replay-tape.ts';
import { MessageOrigins, type MessageOrigin } from '../trace/message-origins.ts';
import { RecordingTape } from '../trace/recording-tape.ts';
import { createStandaloneHost } from './standalone-host.ts';
import type { RoundLimits, SchedulerHost } from '../scheduler-host.ts';
import type { Ingests } from '../trace/ingests.ts';
import type { TurnObserver } from '../turn-observer.ts';
import type { AppRequests } from './app-requests.ts';
import { schedulerParts, type SchedulerParts } from './scheduler-parts.ts';
import type { SchedulerState } from './scheduler-state.ts';

/** These timers wait again, and what waited for native promises is told that they will not come. */
type Rejoin = (timers: readonly OrderedTimer[], waiting: readonly object[]) => void;

const DEFAULT_LIMITS: RoundLimits = { turnsPerRound: 64, messagesPerBatch: 512 };

export class Scheduler {
  readonly index: number;
  /** The program of this thread outside of all actors that were spawned. */
  readonly main: ActorCell;
  /** What that can ask. */
  readonly actorApi: ActorApi;
  /** What actors here have asked Turntable. */
  readonly appRequests: AppRequests;
  /** What this worker takes from outside, and when. */
  readonly ingests: Ingests;
  /** The actors that live here. */
  readonly census: Census;
  /** Where those are that are spawned from here, if any can be elsewhere. */
  actorPlacement: ActorPlacement | undefined;
  /** In a run again: is told when this worker has been told to end. */
  onEnded: (() => void) | undefined;
  /** In a life that knows what an earlier one was. */
  #rejoin: Rejoin | undefined;
  readonly #deps: SchedulerParts;
  readonly #realm: Realm;
  readonly #host: SchedulerHost;

  constructor(
    realm: Realm,
    host: Pick<SchedulerHost, 'types' | 'queueMicrotask' | 'setImmediate' | 'now'> & Partial<SchedulerHost>,
    index = 0,
    limits = DEFAULT_LIMITS,
  ) {
    this.index = index;
    this.#realm = realm;
    const fullHost = 'waitForWork' in host ? (host as SchedulerHost) : { ...createStandaloneHost(realm), ...host };
    this.#host = fullHost;
    this.#deps = schedulerParts(realm, fullHost, index, limits, {
      actionForUnexpected: (event) => this.#actionForUnexpected(event),
      rejoin: (timers, waiting) => this.#rejoin?.(timers, waiting),
    });
    const { main, actorApi, appRequests, ingests, census } = this.#deps;
    this.main = main;
    this.actorApi = actorApi;
    this.appRequests = appRequests;
    this.ingests = ingests;
    this.census = census;
    const { tape } = realm.parts.host;
    if (tape instanceof RecordingTape) tape.attachScheduler(this.#deps.turnLoop);
    this.ingests.replayTape?.attachScheduler(this.#replayedScheduler());
  }

  /** This worker as its tape knows it, if it runs again. */
  #replayedScheduler(): ReplayedScheduler {
    const { turnLoop, turns, workerLinks, queue } = this.#deps;
    return {
      rounds: turnLoop,
      get turns() {
        return turns.count;
      },
      get hasTurns() {
        return !queue.isEmpty();
      },
      get messages() {
        return workerLinks.messageIngest.taken;
      },
      currentActorName: () => this.actorApi.currentActor().name,
      wake: () => this.#wake(),
      pause: () => {
        this.pause();
        workerLinks.handOverSpilled();
      },
    };
  }

  /** Milliseconds that turns have taken. */
  get busy(): number {
    return this.#deps.turnObservers.busy;
  }
  get workerLinks(): WorkerLinks {
    return this.#deps.workerLinks;
  }
  get turns(): number {
    return this.#deps.turns.count;
  }
  /** This worker has the place of one that has ended, and goes on counting where that cannot have come. */
  startEpoch(epoch: number, reason: string): void {
    this.actorApi.lastSpawned = epoch * ORDINALS_PER_EPOCH;
    this.workerLinks.startEpoch(epoch, reason);
  }
  /** Messages that wait. */
  get waiting(): number {
    return this.#deps.queue.size;
  }

  /** What waits for an actor, the next message first. */
  mailboxOf(actor: ActorCell): QueueEntry<ActorCell>[] {
    const { shared, perRecipient } = this.#deps.queue.getState();
    const own = perRecipient.find(({ recipient }) => recipient === actor);
    const inQueue = shared.filter(({ recipient }) => recipient === actor);
    return [...(own?.parked ?? []), ...inQueue, ...(own?.mailbox ?? [])];
  }

  /** By which the runtime's own objects are written, in the program's, where all of them are there: for one capture. */
  runtimeAdapters(): ObjectAdapter[] {
    return [runtimeObjects({ deferred: new DeferredReferences(this.index, () => true) })];
  }

  /** The same of all for whom something waits. */
  mailboxes(): Map<ActorCell, QueueEntry<ActorCell>[]> {
    const { shared, perRecipient } = this.#deps.queue.getState();
    const byActor = Map.groupBy(shared, ({ recipient }) => recipient);
    for (const { recipient, parked = [], mailbox = [] } of perRecipient)
      byActor.set(recipient, [...parked, ...(byActor.get(recipient) ?? []), ...mailbox]);
    return byActor;
  }

  /** One at a time. */
  observe(observer: TurnObserver | undefined): void {
    this.#deps.turnObservers.setObserver(observer, 'other');
  }

  /** In a run again: of each answer it is told whose and what, before it goes. */
  observeAnswers(...onAnswer: Parameters<AnswerSender['observeAnswers']>): void {
    this.#deps.answers.observeAnswers(...onAnswer);
  }

  /** In a run again: from now on it is known of eventuals whose answers they are. */
  trackAwaitedAnswers(): AwaitedAnswers {
    return new AwaitedAnswers(this.#deps.outgoing);
  }

  /** Of those that wait already. */
  addWaitingAnswers(answers: AwaitedAnswers): void {
    const { shared, perRecipient } = this.#deps.queue.getState();
    const ownEntries = perRecipient.flatMap(({ mailbox = [], parked = [] }) => [...mailbox, ...parked]);
    answers.noteTables([...shared, ...ownEntries], this.#deps.workerLinks.links);
  }

  /** In a run again, before anything is queued: of each turn it is known from now on where its message comes from. @param currentTask the task that runs */
  traceOrigins(currentTask: () => MessageOrigin | undefined): MessageOrigins {
    return (this.#deps.workerLinks.messageOrigins = new MessageOrigins(
      this.#deps.queue,
      () => this.#deps.workerLinks.links,
      currentTask,
    ));
  }

  /** In a replay whose tasks are undone and re-executed in place: intercepts all calls between the program and the runtime from now on. */
  intercept(interceptor: CallInterceptor, mailboxObserver: MailboxObserver): void {
    const [realm, { types }, actorPlacement] = [this.#realm, this.#host, this.actorPlacement];
    interceptRuntime(interceptor, { ...this.#deps, mailboxObserver, realm, types, actorPlacement });
  }

  /** From now on each phase begins with a snapshot of this worker. */
  startSnapshots(deps: WorkerSnapshotsDeps): void {
    this.#deps.phases.snapshots = new WorkerSnapshots(
      {
        ownWorker: this.index,
        main: this.main,
        tables: () => {
          const tables = this.#tables();
          const others = [...this.#deps.pressure.pressed, ...this.#deps.queue.separated];
          return { ...tables, pressureStates: pressureStatesOf(tables.workerLinks, others) };
        },
        seal: (tell) => this.#deps.queue.seal(tell),
        openWorkers: () => this.#deps.workerLinks.openWorkers,
        now: () => this.#host.now(),
        turnCount: () => this.#deps.turns.count,
        observe: (observer) => this.#deps.turnObservers.setObserver(observer, 'snapshot'),
        wake: () => this.#wake(),
        isReplaying: this.ingests.isReplaying,
        setTimer: (milliseconds, callback) => void this.#host.setTimer(milliseconds, callback),
      },
      deps,
    );
  }

  /** In a run again: its phases begin, and nothing is written of it then, but what is wanted. @param shouldCapture asked once for each phase; what it answers is the same on all workers */
  skipSnapshots(shouldCapture: (phase: number) => boolean = () => false): void {
    this.#deps.phases.skipSnapshots(shouldCapture);
  }

  /** What it is now, between two turns, if it keeps snapshots; it does nothing any more. */
  finalState(): Uint8Array | undefined {
    return this.#deps.phases.snapshots?.final(this.#deps.phases.current + 1, 0);
  }

  /** Nothing runs here until it is let go. */
  pause(): void {
    this.#deps.turnLoop.pause();
  }

  /** Nothing of it runs: it is still to be what it was in a snapshot, or has come to its end. */
  get isPaused(): boolean {
    return this.#deps.turnLoop.isPaused;
  }

  resume(): void {
    this.#deps.turnLoop.resume();
  }

  startInPhase(phase: number): void {
    this.#deps.phases.startInPhase(phase);
  }

  /** `tell` hears how many actors here everybody goes back with if they are lost, from now on. */
  watchRollbackCount(listener: (count: number) => void): void {
    this.#deps.termination.onRollbackCount = listener;
  }

  get classes(): FarReferenceClasses {
    return this.#deps.classes;
  }

  /** It is held. What was under way comes again, before anything else; in a run again, when it came. */
  restore(
    { pressureStates, ...state }: SchedulerTables & Pick<SchedulerState, 'queue'>,
    restored: RestoredWorker,
    inFlight: readonly InFlightMessage[],
  ): void {
    // First: an actor whose class is there by now is taken up at once.
    for (const { actor, isParked, isHeld, waiting, heldSenders, heldWorkers } of pressureStates) {
      const pressure = { isParked, isHeld, waiting, heldSenders, heldWorkers } satisfies Partial<
        Record<keyof ActorCell, unknown>
      >;
      Object.assign(actor, pressure);
      this.#deps.pressure.restore(actor);
    }
    this.setState(state);
    this.#deps.turnObservers.enableHostCallbacks();
    this.census.restore(restored.actors);
    this.#deps.termination.restore(restored.actors);
    if (restored.actors.some(isToBeRestored)) this.#deps.workerLinks.onRestorableActor?.();
    for (const [object, ref] of restored.lent) this.actorApi.relend(object, ref);
    if (this.ingests.isReplaying) return this.#deps.workerLinks.replayFromCut(inFlight, restored.actorsWithoutPiece());
    this.#deps.workerLinks.expectKnown(restored.actorsWithoutPiece());
    for (const message of inFlight) this.#deps.workerLinks.messageIngest.takeInFlight(message);
  }

  /** While held: restores the state of an earlier life that still has a meaning. `rejoin` is given the timers and eventuals of each restored actor. */
  revive(revived: RevivedWorker, rejoin: Rejoin): void {
    this.#rejoin = rejoin;
    this.#deps.turnObservers.enableHostCallbacks();
    this.#deps.workerLinks.revive(
      revived.remoteReferences,
      revived.knownActors(),
      revived.supervised,
      revived.mainEventuals,
    );
  }

  /** An eventual for whoever waits no longer. */
  settledEventual(): Eventual {
    const { eventuals } = this.#realm.parts;
    const eventual = eventuals.create();
    eventuals.resolve(eventual, undefined);
    return eventual;
  }

  get snapshots(): WorkerSnapshots | undefined {
    return this.#deps.phases.snapshots;
  }

  /** Between two turns. */
  getState(): SchedulerState {
    return { ...this.#tables(), queue: this.#deps.queue.getState() };
  }

  /** All but what waits for the actors. */
  #tables(): Omit<SchedulerState, 'queue'> {
    return {
      phase: this.#deps.phases.current,
      lastSpawned: this.actorApi.lastSpawned,
      turns: this.#deps.turns.count,
      rounds: this.#deps.turnLoop.roundCount,
      steps: this.#realm.jobs.steps,
      turnsPerRound: this.#deps.turnLoop.turnsPerRound,
      workerLinks: this.#deps.workerLinks.getState(),
      deadlines: this.#deps.deadlines.getState(),
      trackedCalls: this.#deps.trails.getState(),
      ...this.appRequests.getState(),
      census: this.census.getState(),
      actorPlacement: this.actorPlacement?.getState(),
    };
  }

  /** In the place of all that it has in mind; what its actors are is theirs. */
  setState(state: SchedulerState): void {
    this.ingests.dropStale();
    this.#deps.phases.current = state.phase;
    this.actorApi.lastSpawned = state.lastSpawned;
    this.#deps.turns.count = state.turns;
    this.#deps.turnLoop.roundCount = state.rounds;
    this.#realm.jobs.steps = state.steps;
    this.#deps.turnLoop.turnsPerRound = state.turnsPerRound;
    this.#deps.queue.setState(state.queue);
    this.#deps.trails.setState(state.trackedCalls);
    this.appRequests.setState(state.appRequests, state.lastAppRequest);
    this.#deps.deadlines.setState(state.deadlines);
    this.census.setState(state.census);
    if (state.actorPlacement !== undefined) this.actorPlacement?.setState(state.actorPlacement);
    this.#deps.workerLinks.setState(state.workerLinks);
    if (!this.#deps.queue.isEmpty() || !this.ingests.isEmpty) this.#wake();
  }

  /** Stands among the listeners of a signal that is read from a state, for one that waits by that number and is written afterwards. */
  signalListener(number: number): SignalListener {
    return this.#deps.deadlines.listenerFor(number);
  }

  /** The task between two snapshots that this worker is in. */
  get phase(): number {
    return this.#deps.phases.current;
  }

  /** Phases that begin without a snapshot; shared with all workers. */
  get cutPoints(): CutPoints {
    return this.#deps.phases.cutPoints;
  }
  set cutPoints(cutPoints: CutPoints) {
    this.#deps.phases.cutPoints = cutPoints;
  }

  startPhase(phase: number): void {
    this.#deps.phases.startPhase(phase);
  }

  /** Something may have come while nobody could say so. */
  wakeIfInbound(): void {
    if (this.ingests.isReplaying ? this.ingests.canTakeMessages() : !this.#deps.workerLinks.messageIngest.isEmpty())
      this.#wake();
  }

  /** It ends in order, now: nothing of it comes behind this. */
  recordEnd(): void {
    this.ingests.record('end', '');
    this.ingests.commit();
  }

  /** Whether nothing is left to do between actors here. */
  get isIdle(): boolean {
    return (
      this.#deps.queue.size === 0 &&
      !this.#deps.turnLoop.isScheduled &&
      this.ingests.isEmpty &&
      this.#deps.workerLinks.isQuiet
    );
  }

  /** In a run again: whether nothing is left to do here but to wait for others. */
  get isReplayIdle(): boolean {
    return !this.#deps.turnLoop.isScheduled && !this.ingests.canTakeMessages() && !this.#realm.jobs.hasWork();
  }

  #wake(): void {
    this.#deps.turnLoop.wake();
  }

  /** What happens in a run again because it has happened before. */
  #actionForUnexpected(event: SchedulerEvent): (() => void) | undefined {
    const { kind, key } = event;
    const [number = 0, exportId = 0] = key.split(' ').map(Number);
    if (kind === 'lost') return this.#deps.workerLinks.replayLoss(event);
    if (kind === 'round-length') return () => void this.#deps.turnLoop.setTurnsPerRound(number);
    if (kind === 'phase') return () => void this.#deps.phases.enterPhase(number);
    if (kind === 'dropped') return () => this.#deps.workerLinks.references.replayDrop(number, exportId);
    if (kind === 'answered') return () => this.appRequests.replayAnswer(number, event.value as RecordedAnswer);
    // Listeners of the end may still be called.
    if (kind === 'end')
      return () => {
        this.pause();
        this.onEnded?.();
      };
    return undefined;
  }

  /** An object of a class is being made: if it is the root that this turn makes, it is known before its constructor passes it on. */
  bindRoot(object: object, type: unknown): void {
    this.#deps.actorFactory.bindRoot(object, type);
  }
}

function isToBeRestored(actor: ActorCell): boolean {
  return watchersOf(actor).some((watcher) => watcher.kind === 'supervisor' && watcher.policy === RESTORE);
}
