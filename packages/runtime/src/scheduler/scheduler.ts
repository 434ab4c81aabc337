// The scheduler of a worker: its state, and its interface for the thread, snapshots and observers. scheduler-parts.ts
// constructs its parts.

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

/** Restarts restored timers and rejects eventuals that awaited native promises. */
type Rejoin = (timers: readonly OrderedTimer[], waiting: readonly object[]) => void;

const DEFAULT_LIMITS: RoundLimits = { turnsPerRound: 64, messagesPerBatch: 512 };

export class Scheduler {
  readonly index: number;
  /** The main program's actor: all code of this thread that belongs to no spawned actor. */
  readonly main: ActorCell;
  /** Operations on actors that the program can call. */
  readonly actorApi: ActorApi;
  /** Pending requests of actors to Turntable. */
  readonly appRequests: AppRequests;
  /** Messages and events that this worker takes in. */
  readonly ingests: Ingests;
  /** Actors of this worker that stats list. */
  readonly census: Census;
  /** Chooses the worker of each actor spawned here; undefined if there is only one thread. */
  actorPlacement: ActorPlacement | undefined;
  /** In a replay: called when the recorded end of this worker is reached. */
  onEnded: (() => void) | undefined;
  /** Set in an epoch that was revived from an earlier one. */
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

  /** View of this worker for its replay tape. */
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

  /** Time spent in turns, in milliseconds. */
  get busy(): number {
    return this.#deps.turnObservers.busy;
  }
  get workerLinks(): WorkerLinks {
    return this.#deps.workerLinks;
  }
  get turns(): number {
    return this.#deps.turns.count;
  }
  /** Starts an epoch after the loss of a predecessor. New ids are higher than any that the predecessor assigned. */
  startEpoch(epoch: number, reason: string): void {
    this.actorApi.lastSpawned = epoch * ORDINALS_PER_EPOCH;
    this.workerLinks.startEpoch(epoch, reason);
  }
  /** Number of queued messages. */
  get waiting(): number {
    return this.#deps.queue.size;
  }

  /** Returns the messages queued for an actor, the next one first. */
  mailboxOf(actor: ActorCell): QueueEntry<ActorCell>[] {
    const { shared, perRecipient } = this.#deps.queue.getState();
    const own = perRecipient.find(({ recipient }) => recipient === actor);
    const inQueue = shared.filter(({ recipient }) => recipient === actor);
    return [...(own?.parked ?? []), ...inQueue, ...(own?.mailbox ?? [])];
  }

  /** Returns adapters that write the runtime's objects within the program's, for one capture of all actors. */
  runtimeAdapters(): ObjectAdapter[] {
    return [runtimeObjects({ deferred: new DeferredReferences(this.index, () => true) })];
  }

  /** Returns the messages queued for each actor. */
  mailboxes(): Map<ActorCell, QueueEntry<ActorCell>[]> {
    const { shared, perRecipient } = this.#deps.queue.getState();
    const byActor = Map.groupBy(shared, ({ recipient }) => recipient);
    for (const { recipient, parked = [], mailbox = [] } of perRecipient)
      byActor.set(recipient, [...parked, ...(byActor.get(recipient) ?? []), ...mailbox]);
    return byActor;
  }

  /** Sets the only observer of turns that is not a snapshot. */
  observe(observer: TurnObserver | undefined): void {
    this.#deps.turnObservers.setObserver(observer, 'other');
  }

  /** In a replay: reports each answer with its sender before it is sent. */
  observeAnswers(...onAnswer: Parameters<AnswerSender['observeAnswers']>): void {
    this.#deps.answers.observeAnswers(...onAnswer);
  }

  /** In a replay: tracks from now on which call each eventual awaits. */
  trackAwaitedAnswers(): AwaitedAnswers {
    return new AwaitedAnswers(this.#deps.outgoing);
  }

  /** Adds the answers that are already awaited. */
  addWaitingAnswers(answers: AwaitedAnswers): void {
    const { shared, perRecipient } = this.#deps.queue.getState();
    const ownEntries = perRecipient.flatMap(({ mailbox = [], parked = [] }) => [...mailbox, ...parked]);
    answers.noteTables([...shared, ...ownEntries], this.#deps.workerLinks.links);
  }

  /** In a replay, before anything is queued: tracks the origin of each turn's message from now on. */
  traceOrigins(currentTask: () => MessageOrigin | undefined): MessageOrigins {
    return (this.#deps.workerLinks.messageOrigins = new MessageOrigins(
      this.#deps.queue,
      () => this.#deps.workerLinks.links,
      currentTask,
    ));
  }

  /** In a replay that undoes tasks in place: intercepts all calls between program and runtime from now on. */
  intercept(interceptor: CallInterceptor, mailboxObserver: MailboxObserver): void {
    const [realm, { types }, actorPlacement] = [this.#realm, this.#host, this.actorPlacement];
    interceptRuntime(interceptor, { ...this.#deps, mailboxObserver, realm, types, actorPlacement });
  }

  /** Starts to take a snapshot of this worker in each phase that is not a cut point. */
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

  /** In a replay: takes snapshots only in selected phases. `shouldCapture` must agree on all workers. */
  skipSnapshots(shouldCapture: (phase: number) => boolean = () => false): void {
    this.#deps.phases.skipSnapshots(shouldCapture);
  }

  /** Returns the final state of this worker, between two turns, if it takes snapshots. Nothing may run afterwards. */
  finalState(): Uint8Array | undefined {
    return this.#deps.phases.snapshots?.final(this.#deps.phases.current + 1, 0);
  }

  /** Stops running turns until `resume`. */
  pause(): void {
    this.#deps.turnLoop.pause();
  }

  /** Whether turns are stopped: the worker is still to be restored, or has ended. */
  get isPaused(): boolean {
    return this.#deps.turnLoop.isPaused;
  }

  resume(): void {
    this.#deps.turnLoop.resume();
  }

  startInPhase(phase: number): void {
    this.#deps.phases.startInPhase(phase);
  }

  /** Reports from now on the number of actors here whose loss rolls the whole program back. */
  watchRollbackCount(listener: (count: number) => void): void {
    this.#deps.termination.onRollbackCount = listener;
  }

  get classes(): FarReferenceClasses {
    return this.#deps.classes;
  }

  /** Restores this paused worker and takes in-flight messages; a replay takes them when the recorded run did. */
  restore(
    { pressureStates, ...state }: SchedulerTables & Pick<SchedulerState, 'queue'>,
    restored: RestoredWorker,
    inFlight: readonly InFlightMessage[],
  ): void {
    // Before the state, since an actor whose class is already loaded is created at once.
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

  /** Restores the valid state of an earlier epoch, while paused. `rejoin` gets each actor's timers and eventuals. */
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

  /** Returns a settled eventual, for replies that nothing awaits. */
  settledEventual(): Eventual {
    const { eventuals } = this.#realm.parts;
    const eventual = eventuals.create();
    eventuals.resolve(eventual, undefined);
    return eventual;
  }

  get snapshots(): WorkerSnapshots | undefined {
    return this.#deps.phases.snapshots;
  }

  /** Returns the state of the scheduler between two turns. */
  getState(): SchedulerState {
    return { ...this.#tables(), queue: this.#deps.queue.getState() };
  }

  /** Returns the state without the message queue. */
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

  /** Replaces the state of the scheduler, but not of its actors. */
  setState(state: SchedulerState): void {
    this.ingests.dropStale();
    this.#deps.phases.current = state.phase;
    this.actorApi.lastSpawned = state.lastSpawned;
    this.#deps.turns.count = state.turns;
    this.#deps.turnLoop.roundCount = state.rounds;
    this.ingests.continueAfterRound(state.rounds);
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

  /** Returns the restored abort listener of a deadline, by its number. The deadline itself is restored later. */
  signalListener(number: number): SignalListener {
    return this.#deps.deadlines.listenerFor(number);
  }

  /** Number of the phase that this worker is in. */
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

  /** Wakes this thread if messages have arrived while it could not be woken. */
  wakeIfInbound(): void {
    if (this.ingests.isReplaying ? this.ingests.canTakeMessages() : !this.#deps.workerLinks.messageIngest.isEmpty())
      this.#wake();
  }

  /** Records the orderly end of this worker. Only the exit and its listeners may follow. */
  recordEnd(): void {
    this.ingests.record('end', '');
    this.ingests.commit();
  }

  /** Whether the actors here have no work left. A restored worker that has not resumed yet may have work. */
  get isIdle(): boolean {
    return (
      !this.isPaused &&
      this.#deps.queue.size === 0 &&
      !this.#deps.turnLoop.isScheduled &&
      this.ingests.isEmpty &&
      this.#deps.workerLinks.isQuiet
    );
  }

  /** In a replay: whether this worker can only wait for other threads. */
  get isReplayIdle(): boolean {
    return !this.#deps.turnLoop.isScheduled && !this.ingests.canTakeMessages() && !this.#realm.jobs.hasWork();
  }

  #wake(): void {
    this.#deps.turnLoop.wake();
  }

  /** Returns the effect of a recorded event that no part of the runtime has registered. */
  #actionForUnexpected(event: SchedulerEvent): (() => void) | undefined {
    const { kind, key } = event;
    const [number = 0, exportId = 0] = key.split(' ').map(Number);
    if (kind === 'lost') return this.#deps.workerLinks.replayLoss(event);
    if (kind === 'round-length') return () => void this.#deps.turnLoop.setTurnsPerRound(number);
    if (kind === 'phase') return () => void this.#deps.phases.enterPhase(number);
    if (kind === 'dropped') return () => this.#deps.workerLinks.references.replayDrop(number, exportId);
    if (kind === 'answered') return () => this.appRequests.replayAnswer(number, event.value as RecordedAnswer);
    // Paused but not ended: listeners of the end event may still run.
    if (kind === 'end')
      return () => {
        this.pause();
        this.onEnded?.();
      };
    return undefined;
  }

  /** Called for each constructed object: binds an actor's root before its constructor can pass it on. */
  bindRoot(object: object, type: unknown): void {
    this.#deps.actorFactory.bindRoot(object, type);
  }
}

function isToBeRestored(actor: ActorCell): boolean {
  return watchersOf(actor).some((watcher) => watcher.kind === 'supervisor' && watcher.policy === RESTORE);
}
