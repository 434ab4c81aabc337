// Tracks the tasks of a replayed thread (docs/internals/run-index.md). It notifies one observer before any code of a task runs,
// and after its last code. The observer logs the task or pauses the thread. The tracker does not change the replay.
import type { StatementClock } from '@turntable/core';
import type { EntryEvent, TraceEvent, TraceSource } from '@turntable/recording';
import type { TaskKind } from '@turntable/time-machine/task-log';
import type { TurnObserver } from '@turntable/runtime';

/**
 * Maximum number of statement lists entered after the last event of a cut-off trace. A process may have been killed in
 * an endless loop, which users want to see. All replays execute the loop up to this limit.
 */
const MAX_LISTS_PAST_END = 3_000_000;
/** Maximum number of tasks reported after the last event. */
const MAX_REPORTED_TASKS = 500;
/** Cost of a task in statement lists, so that endless short tasks reach the limit, too. */
const TASK_OVERHEAD_LISTS = 100;

type TurnStartedArguments = Parameters<NonNullable<TurnObserver['turnStarted']>>;

export interface StartedTurn {
  readonly turn: number;
  readonly actor: TurnStartedArguments[1];
  readonly call: TurnStartedArguments[2];
  /** The target object of a call. */
  readonly target: object | undefined;
  /** Arguments, receiver of the reply, and sender if known. Observers must not keep these program objects. */
  readonly args: readonly unknown[];
  readonly replyTo: unknown;
  readonly sender: TurnStartedArguments[3];
}

export interface StartedTask {
  readonly kind: TaskKind;
  /** Present in a task that native code started. */
  readonly entry?: EntryEvent;
  readonly turn?: StartedTurn;
}

export interface TaskObserver {
  /** Called before any code of the task runs; the task starts when it returns. */
  taskStarted(task: StartedTask): void;
  /** @param lists statement lists that the task entered; 0 if they are not counted */
  taskEnded(lists: number): void;
  /** Called for each event taken, also between tasks. */
  eventTaken?(event: TraceEvent): void;
  /** Called when a phase begins, with or without a snapshot. */
  phaseStarted?(phase: number, isCutPoint: boolean): void;
  /** Called for each message taken from another worker. */
  messageTaken?(worker: number): void;
}

export interface TraceEndDeps {
  /** Called after the last event of a cut-off trace. @param tasks tasks started since */
  reportPastEnd(tasks: number): void;
  /** Ends the thread at the end of a cut-off trace. Must stop the running code. */
  endAtCutOff(): never;
}

const NO_TURN_INPUT: Parameters<NonNullable<TurnObserver['turnInput']>> = [undefined, [], undefined];

export class TaskTracker {
  readonly #observer: TaskObserver;
  readonly #deps: TraceEndDeps;
  readonly #hungTask: number | undefined;
  #source: TraceSource | undefined;
  /** Statement lists that may still be entered, the current task included; undefined before the last event. */
  #remainingLists: number | undefined;
  #listsAtLimit = 0;
  /** Tasks started after the last event. */
  #tasksPastEnd = 0;
  /** Present if the program's code has probes. */
  #clock: StatementClock | undefined;
  #isTaskOpen = false;
  /** Message of the turn that is about to start. */
  #turnInput: Parameters<NonNullable<TurnObserver['turnInput']>> = NO_TURN_INPUT;
  /** The last reported entry. The tape reports an entry again if it could not be performed. */
  #lastEntry: TraceEvent | undefined;

  /** @param hungTask task that hangs, counted from the last event; 0 is the task that took the event */
  constructor(observer: TaskObserver, deps: TraceEndDeps, hungTask?: number) {
    this.#observer = observer;
    this.#deps = deps;
    this.#hungTask = hungTask;
  }

  /** Must be called before the program is loaded. */
  setClock(clock: StatementClock | undefined): void {
    this.#clock = clock;
  }

  /** Wraps the trace so that taken events are observed. */
  wrapSource(source: TraceSource): TraceSource {
    this.#source = source;
    const onTaken = (event: TraceEvent): void => this.#onEventTaken(event);
    return {
      get next() {
        return source.next;
      },
      get takenCount() {
        return source.takenCount;
      },
      get end() {
        return source.end;
      },
      take() {
        const { next } = source;
        source.take();
        if (next !== undefined) onTaken(next);
      },
    };
  }

  #onEventTaken(event: TraceEvent): void {
    if (event.type === 'messages' || event.type === 'scheduler') this.endTask();
    this.#observer.eventTaken?.(event);
    this.#checkPastEnd();
    // The task hangs right after its last event.
    if (this.#remainingLists !== undefined && this.#hungTask === 0 && this.#isTaskOpen) this.#deps.endAtCutOff();
  }

  /** Limits the statement lists once the last event of a cut-off trace has been taken. */
  #checkPastEnd(): void {
    const source = this.#source;
    if (this.#remainingLists !== undefined || this.#clock === undefined || source === undefined) return;
    if (source.next !== undefined || source.end.reason !== 'cut off') return;
    this.#remainingLists = MAX_LISTS_PAST_END;
    this.#deps.reportPastEnd(0);
    this.#setListLimit(this.#remainingLists);
  }

  #setListLimit(remainingLists: number): void {
    const clock = this.#clock;
    if (clock === undefined) return;
    this.#listsAtLimit = clock.listsEntered;
    clock.endAt(clock.listsEntered + remainingLists, () => this.#deps.endAtCutOff());
  }

  startEvaluation(): void {
    this.#startTask({ kind: 'evaluation' });
  }

  startEntry(entry: EntryEvent): void {
    if (entry === this.#lastEntry) return;
    this.#lastEntry = entry;
    this.#startTask({ kind: 'entry', entry });
  }

  startJobs(): void {
    if (!this.#isTaskOpen) this.#startTask({ kind: 'jobs' });
  }

  createTurnObserver(): TurnObserver {
    return {
      turnInput: (...turnInput) => void (this.#turnInput = turnInput),
      turnStarted: (turn, actor, call, sender) => {
        const [target, args, replyTo] = this.#turnInput;
        this.#turnInput = NO_TURN_INPUT;
        const kind = typeof call === 'object' && 'kind' in call ? call.kind : 'call';
        this.#startTask({ kind, turn: { turn, actor, call, target, args, replyTo, sender } });
      },
      cut: (phase, isCutPoint) => {
        this.endTask();
        this.#observer.phaseStarted?.(phase, isCutPoint);
      },
      messageTaken: (worker) => this.#observer.messageTaken?.(worker),
    };
  }

  #startTask(task: StartedTask): void {
    this.endTask();
    this.#isTaskOpen = true;
    this.#checkPastEnd();
    if (this.#remainingLists !== undefined)
      this.#remainingLists -= TASK_OVERHEAD_LISTS + (this.#clock?.listsEntered ?? 0) - this.#listsAtLimit;
    // Precedes the call of the observer, which may set a stop in this task.
    this.#clock?.restart();
    if (this.#remainingLists === undefined) return this.#observer.taskStarted(task);
    this.#tasksPastEnd++;
    // A thread may start tasks forever.
    if (this.#tasksPastEnd <= MAX_REPORTED_TASKS) this.#deps.reportPastEnd(this.#tasksPastEnd);
    this.#setListLimit(this.#tasksPastEnd === this.#hungTask ? 0 : this.#remainingLists);
    this.#observer.taskStarted(task);
  }

  /** Must be called when no code of the task runs any more. */
  endTask(): void {
    if (!this.#isTaskOpen) return;
    this.#isTaskOpen = false;
    this.#observer.taskEnded(this.#clock?.listsEntered ?? 0);
  }
}
