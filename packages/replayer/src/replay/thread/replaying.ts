// A thread of a process that runs again what a recording has. Each thread takes its own trace from the recording and says when it has stopped; the main
// thread hears of all. Nothing of the program is asked any more then.
import { writeSync } from 'node:fs';
import type { MessagePort } from 'node:worker_threads';
import { ownVariables } from '@turntable/boundary';
import { tellUncaught } from '@turntable/loader';
import type { Loader } from '../../thread/loader.ts';
import type { StartedThreads, ThreadReplay } from '../../thread/threads-tape.ts';
import { openRecording, type Recording, type TraceEntry, type TraceSource } from '@turntable/recording';
import {
  calledName,
  FollowingTape,
  type AppOptions,
  type Halt,
  type Part,
  type Onlooker,
  type Scheduler,
} from '@turntable/runtime';
import { inspect } from 'node:util';
import type { StandbyAssignment, ThreadName } from '@turntable/time-machine/replay-process';
import { behindExit, type Thrown } from '../../recorder/behind-exit.ts';
import { Board } from './board.ts';
import { Hearing, type Said } from './hearing.ts';
import { keyOf, type Divergence, type Reached } from '../outcome.ts';
import { partDigest } from '../part-digest.ts';
import { ReadableTrace } from './readable-trace.ts';
import { areStatesCompared, isDebugged, type ReplayOrder } from '../replay-order.ts';
import { limitsAgain } from '../room-again.ts';
import { reallyExit, say } from './saying.ts';
import { StateCuts } from './state-cuts.ts';
import { successionsIn } from './successions.ts';
import { Stretches, type StretchWatcher } from './stretches.ts';
import { TraceUntil } from './trace-until.ts';
import { turnNotes, type Places } from '../turn-notes.ts';
import { TraceToCome } from './trace-to-come.ts';
import type { WatchedThread, WatchThread, Watching } from './thread-watch.ts';
import { WholeStates } from './whole-states.ts';
import { endWithParent } from './with-parent.ts';
import { beginOf, Clock } from '../../trace/timeline.ts';

/** What workers are given. */
export interface ReplayData {
  readonly order: ReplayOrder;
  readonly board: SharedArrayBuffer;
  /** Of a replay process that can pause: the control words of its threads. */
  readonly control?: SharedArrayBuffer | undefined;
  /** The thread's end of its channel to the coordinator. */
  readonly coordinator?: MessagePort | undefined;
  /** Of a survey that is to have states: at which cuts they are written. */
  readonly cuts?: SharedArrayBuffer | undefined;
}

/** Of a run that is stopped where it does not come to an end, and looked at by nobody. */
const NO_WATCHER: StretchWatcher = { begins: () => {}, ends: () => {} };

const { setImmediate: nativeSetImmediate, queueMicrotask: nativeQueueMicrotask } = globalThis;
const { nextTick: nativeNextTick } = process;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** Stands still for so many milliseconds, or for good. */
function sleep(milliseconds?: number): void {
  Atomics.wait(sleeper, 0, 0, milliseconds);
}

export class Replaying implements ThreadReplay {
  readonly recording: Recording;
  readonly tape: FollowingTape;
  #order: ReplayOrder;
  readonly #thread: ThreadName;
  readonly #board: Board;
  /** On the main thread. */
  readonly #hearing: Hearing | undefined;
  /** So many states the snapshot with which it is to end has come to. */
  #partsOfEnd = 0;
  /** That is being handled, if they are followed. */
  #message: Divergence['message'];
  #trace: ReadableTrace | undefined;
  /** Of a process that is still to be told with which snapshot it begins. */
  #traceToCome: TraceToCome | undefined;
  #loader: Loader | undefined;
  /** That have begun before it was. */
  #threads: StartedThreads | undefined;
  #tracesHere: readonly TraceEntry[] | undefined;
  /** If it is to end there. */
  #until: TraceUntil | undefined;
  /** If it is to write states at some of its cuts. */
  readonly #cuts: StateCuts | undefined;
  /** If somebody watches its stretches. */
  readonly #watched: Watching | undefined;
  readonly #stretches: Stretches | undefined;
  /** Takes what threads have sent by now, once they can have. */
  #hears: () => void = () => {};
  /** What it is, between two turns; it does nothing any more. */
  #stateOf: (() => Uint8Array | undefined) | undefined;

  /** `shared`: the main thread's; nothing on that one. `watch`: where somebody watches. */
  constructor(
    order: ReplayOrder,
    thread: ThreadName,
    { board, control, coordinator, cuts }: Partial<Omit<ReplayData, 'order'>> = {},
    watch?: WatchThread,
  ) {
    this.#order = order;
    this.#board = new Board(board);
    this.#thread = thread;
    this.recording = openRecording(order.recording);
    const states = order.survey?.states;
    this.#cuts = states && new StateCuts(states, this.recording.phases(), cuts);
    const isMain = thread.worker === 0;
    this.#hearing = isMain
      ? new Hearing(
          this.#board,
          this.#expected(),
          this.#cutsExpected(),
          order.isWatched === true ? () => this.tape.progress.events : undefined,
          {
            hears: () => this.#hears(),
            rests: () => this.#watched?.watch.rests?.(),
            leaves: () => this.#leaves(),
            isPatient: () => this.#watched?.watch.isWatched === true,
          },
        )
      : undefined;
    const source = this.#traceUntil(thread);
    this.#watched = watch?.(order, {
      thread: this.#surveyed(),
      threads: this.#traces,
      control,
      coordinator,
      clock: () => this.#clock(),
      tape: () => this.tape,
      order: () => this.#order,
    });
    const watcher = this.#watched?.watch ?? (isDebugged(order) ? NO_WATCHER : undefined);
    const stuck = order.stuck?.find((each) => keyOf(each) === keyOf(thread))?.stretches;
    const behind = (count: number): void =>
      this.#say({ behind: { ...thread, ...this.tape.progress, stretches: count } });
    const stretches = watcher && new Stretches(watcher, { behind, cutOff: () => this.tape.cutOff() }, stuck);
    this.#stretches = stretches;
    this.tape = new FollowingTape(stretches?.watch(source) ?? source, {
      later: (callback) => void nativeSetImmediate(callback),
      soon: (callback) => nativeQueueMicrotask(callback),
      next: (callback) => nativeNextTick(callback),
      uncaught: tellUncaught,
      ...(stretches && { entry: (entry) => stretches.enters(entry), step: () => stretches.steps() }),
      halted: (halt) => this.#halted(halt),
      isAwaited: () => this.#isAwaited(),
      end: () => {
        if (this.#hearing !== undefined) this.#hearing.finish();
        this.#watched?.watch.rests?.();
        // Before there is a scheduler the main thread hears of it only by the end of this thread.
        if (this.#stateOf === undefined) reallyExit(0);
        else sleep();
      },
    });
    this.#watch();
  }

  get order(): ReplayOrder {
    return this.#order;
  }

  /** Of a standby process: blocks until there is an assignment. */
  waitForAssignment(): StandbyAssignment {
    return this.#watched?.waitForAssignment?.() as StandbyAssignment;
  }

  /** It is known now: before anything of the program is there. @param threads that have begun meanwhile */
  becomes(order: ReplayOrder, threads?: StartedThreads): void {
    this.#order = order;
    this.#threads = threads;
    this.#trace = this.#traceOf(this.#thread);
    this.#traceToCome?.comes(this.#trace);
    this.#hearing?.expects(this.#expected());
    if (this.#loader !== undefined) this.#watched?.watch.starts?.(this.#loader);
  }

  /** The entry point has still to begin. */
  #isAwaited: () => boolean = () => false;

  /** The program is about to be loaded. */
  begins(loader: Loader): void {
    this.#loader = loader;
    if (this.#traceToCome === undefined) this.#watched?.watch.starts?.(loader);
    this.#stretches?.countBy(loader.statements);
    if (this.#hearing === undefined) return;
    endWithParent();
    if (this.order.from === undefined) {
      this.#isAwaited = () => loader.program.entry.isAwaited;
      this.#stretches?.evaluates();
    }
    behindExit(({ exitCode, uncaught, failure }) => {
      // Node would say it when we are gone.
      if (failure !== undefined) writeSync(2, `${textOf(failure.error)}\n`);
      if (this.tape.next === undefined) this.#endsWith(exitCode, uncaught);
      if (this.tape.judge() !== undefined) this.tape.differ('the program goes on', 'it ends the process');
      this.#hearing?.finish();
    });
  }

  /** An exception of the program's own is in no trace. */
  #endsWith(exitCode: number | undefined, uncaught: Thrown | undefined): void {
    const { exitCode: recorded } = this.recording.manifest;
    if (exitCode === undefined || recorded === undefined || exitCode === recorded) return;
    const [why] = uncaught === undefined ? [] : textOf(uncaught.error).split('\n');
    const now = `it ends with exit code ${exitCode}${why === undefined ? '' : `: ${why}`}`;
    this.tape.differ(`the process ends with exit code ${recorded}`, now);
  }

  /** Of the main thread: what it was to begin with, or to go on from, is not to be had. That is no difference, nothing has run yet. Ends the process. */
  cannotBegin(reason: unknown): never {
    say({ unbegun: reasonText(reason) });
    return reallyExit(1);
  }

  /** This thread's scheduler is there. */
  follows(scheduler: Scheduler, places: Places): void {
    this.#stateOf = () => scheduler.lastState();
    const { turns, until, survey, engine } = this.order;
    // Nobody looks at what would be written at them, which takes as long as hundreds of turns.
    const isLookedInto = (survey ?? engine) !== undefined;
    if (isLookedInto && !areStatesCompared(this.order) && until === undefined)
      scheduler.passCuts((phase) => this.#cuts?.isWanted(phase) === true);
    const notes = turns === undefined ? undefined : turnNotes(turns, this.#thread, places);
    this.#watched?.watch.follows(scheduler, places);
    const onlooker = this.#onlooker() ?? this.#stretches?.onlooker();
    if ((notes ?? onlooker) === undefined) return;
    const cut = (...its: Parameters<NonNullable<Onlooker['cut']>>): void => {
      this.#cuts?.passed();
      onlooker?.cut?.(...its);
    };
    scheduler.watch({ ...notes, ...onlooker, cut });
  }

  /** An actor has failed, or nobody catches what it has thrown. */
  failed(actor: string, reason: unknown): void {
    this.#watched?.watch.fails(textOf(reason));
    if (this.order.until?.what === 'error' && this.tape.halt === undefined)
      this.#reach({ actor, error: textOf(reason) });
  }

  /** For what ends it that the trace does not say. */
  #watch(): void {
    if (this.order.until?.what === 'error' || this.#watched !== undefined)
      process.on('uncaughtExceptionMonitor', (error) => this.failed(this.#name, error));
  }

  /** Who is told of turns, if anything depends on them. That costs a turn a little, and changes nothing of what is written down. */
  #onlooker(): Onlooker | undefined {
    const { until, follows } = this.order;
    const { worker } = this.#thread;
    if (follows === worker)
      return {
        begins: (_, __, call, sender) => (this.#message = { method: calledName(call), from: sender?.name }),
        ends: () => (this.#message = undefined),
      };
    if (until?.what !== 'actor' && !(until?.what === 'turn' && until.worker === worker)) return undefined;
    return {
      ends: (turn, { name }, call) => {
        if (turn < until.turn || this.tape.halt !== undefined) return;
        if (until.what === 'turn' || until.actor === name) this.#reach({ actor: name, method: calledName(call) }, true);
      },
    };
  }

  get #name(): string {
    return this.#thread.worker === 0 ? 'the main program' : `worker ${this.#thread.worker}`;
  }

  /** It ends here. `isBetween`: between two turns. */
  #reach(more: Pick<Reached, 'actor' | 'method' | 'error'>, isBetween = false): void {
    const { worker, life } = this.#thread;
    const { events, turns } = this.tape.progress;
    const state = isBetween ? this.#state() : undefined;
    const states = state === undefined ? [] : [[worker, state] as const];
    this.#say({ reached: { worker, life, events, turns, ...more, states } });
    if (this.#hearing === undefined) sleep();
    else this.#hearing.finish();
  }

  #state(): string | undefined {
    const bytes = this.#stateOf?.();
    return bytes === undefined ? undefined : partDigest(bytes);
  }

  /** What a thread of a worker is given, once. */
  forThread(worker: number, life: number): { readonly data: ReplayData; readonly transfer: readonly MessagePort[] } {
    const watched = this.#watched;
    const coordinator = watched?.coordinatorPort?.({ worker, life });
    const shared = { board: this.#board.memory, control: watched?.control, cuts: this.#cuts?.memory };
    return {
      data: { order: this.#order, coordinator, ...shared },
      transfer: coordinator === undefined ? [] : [coordinator],
    };
  }

  /** Of workers of which the program says this. */
  limits(wanted: AppOptions['resourceLimits']): NonNullable<AppOptions['resourceLimits']> {
    return limitsAgain(wanted, isDebugged(this.order));
  }

  /** What the app is told besides. */
  ofApp(): Pick<AppOptions, 'replay' | 'replayed' | 'variables' | 'begun'> {
    const lives: number[] = [];
    const states = this.#cuts && new WholeStates(this.#cuts);
    for (const { worker, life } of this.#traces) lives[worker] = Math.max(lives[worker] ?? 0, life);
    return {
      replay: (worker, life) => this.forThread(worker, life),
      begun: (worker, life) => this.#threads?.take(worker, life),
      variables: ownVariables(),
      replayed: {
        lives: Array.from(lives, (life) => life ?? 0),
        successions: successionsIn(this.recording),
        part: (part) => (states === undefined ? this.#compare(part) : states.part(part)),
        cut: (phase, workers) => states?.cut(phase, workers),
        hears: (hear) => (this.#hears = hear),
        stopped: ({ why, ...stopped }) => this.#say({ stopped: { ...stopped, stop: why } }),
      },
    };
  }

  /** A worker's part of a snapshot is to be compared with the one that the recording has, if it has it. */
  #compare({ worker, phase, bytes }: Part): void {
    const { until } = this.order;
    const workers = this.recording.snapshots().find((each) => each.phase === phase)?.workers ?? [];
    if (bytes === undefined || !areStatesCompared(this.order) || !workers.includes(worker)) return;
    say({ part: { phase, worker } }, bytes);
    this.#say({ part: { phase, worker } });
    if (until?.what !== 'phase' || until.phase !== phase || ++this.#partsOfEnd < workers.length) return;
    const { events, turns } = this.tape.progress;
    this.#say({ reached: { worker: 0, life: 0, events, turns, states: [] } });
    this.#hearing?.finish();
  }

  #traceUntil(thread: ThreadName): TraceSource {
    const { until, engine } = this.order;
    const source = this.#traceOf(thread);
    this.#trace = source;
    if (engine?.isStandby === true) return (this.#traceToCome = new TraceToCome(source));
    if (until?.what !== 'time' && !(until?.what === 'event' && until.worker === thread.worker)) return source;
    this.#until = new TraceUntil(source, until, this.#clock());
    return this.#until;
  }

  /** Looked up once: there may be a file for each of thousands of snapshots. */
  get #traces(): readonly TraceEntry[] {
    return (this.#tracesHere ??= this.recording.traces());
  }

  get #entry(): TraceEntry | undefined {
    const { worker, life } = this.#thread;
    return this.#traces.find((each) => each.worker === worker && each.life === life);
  }

  #clock(): Clock {
    const entry = this.#entry;
    return new Clock(entry === undefined ? 0 : beginOf(this.recording, entry, this.#from));
  }

  /** The phase that this thread goes on from: one that was started later begins with its own. */
  get #from(): number | undefined {
    const { from, state } = this.order;
    const { worker, life } = this.#thread;
    if (state !== undefined) return state.lives[worker] === life ? from : undefined;
    return from !== undefined && this.#entry?.phases.includes(from) === true ? from : undefined;
  }

  #surveyed(): WatchedThread {
    return { ...this.#thread, phase: this.#from ?? this.#entry?.phases[0] ?? 0 };
  }

  #traceOf({ worker, life }: ThreadName): ReadableTrace {
    const phase = this.#from;
    const isBehind = phase !== undefined && this.#order.state !== undefined;
    const open = (): TraceSource =>
      isBehind ? this.recording.traceBehind(worker, life, phase) : this.recording.trace(worker, life, phase);
    return new ReadableTrace(() => this.#entry && open());
  }

  /** So many states the recording has, to be compared with. */
  #cutsExpected(): number {
    const { from = 0 } = this.order;
    if (!areStatesCompared(this.order)) return 0;
    const snapshots = this.recording.snapshots().filter(({ phase }) => phase > from);
    return snapshots.reduce((sum, { workers }) => sum + workers.length, 0);
  }

  /** Those that are to stop, each in each of its lives. */
  #expected(): string[] {
    const { from = 0, state } = this.order;
    const isThere = ({ worker, life, phases: [first = 0] }: TraceEntry): boolean =>
      state?.lives[worker] === life || first >= from;
    const goesOn = ({ phases }: TraceEntry): boolean => phases.some((phase) => phase >= from);
    return this.#traces.filter(state === undefined ? goesOn : isThere).map(keyOf);
  }

  #leaves(): void {
    this.#stretches?.close();
    this.#watched?.watch.leaves();
  }

  #halted(halt: Halt): void {
    const { why, events, messages, turns, divergence, isBetween } = halt;
    const { worker, life } = this.#thread;
    this.#stretches?.close();
    this.#watched?.watch.halts(halt);
    const isUntil = this.#until?.isOver === true && divergence === undefined;
    if (isUntil && this.order.until?.what === 'event') return this.#reach({}, isBetween);
    const state = isUntil && isBetween === true ? this.#state() : undefined;
    const stop = isUntil ? 'until' : why;
    const message = this.#message;
    const told = divergence === undefined || message === undefined ? divergence : { ...divergence, message };
    const damage = stop === 'cut off' ? this.#trace?.damage : undefined;
    this.#say({ stopped: { worker, life, stop, events, messages, turns, divergence: told, state, damage } });
  }

  #say(said: Said): void {
    if (this.#hearing === undefined) this.#board.write(said);
    else this.#hearing.hear(said);
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : inspect(error);
}

/** What has a code says all that its reader can use; of a defect of ours the stack is wanted. */
function reasonText(reason: unknown): string {
  return reason instanceof Error && 'code' in reason ? reason.message : textOf(reason);
}
