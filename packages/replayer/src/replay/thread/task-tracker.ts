// The tasks of a thread that runs again (docs/run-index.md): where each begins, before any code of it, and where nothing of it runs any more. One who watches is told:
// who notes them, or who keeps the thread from going on. It changes nothing of the run, and says nothing to the program.
import type { StatementClock } from '@turntable/core';
import type { EntryEvent, TraceEvent, TraceSource } from '@turntable/recording';
import type { TaskKind } from '@turntable/time-machine/task-log';
import type { TurnObserver } from '@turntable/runtime';

/**
 * Statement lists that a thread may enter behind the last event of a trace that was cut off. Whoever was killed was at something that may have taken for ever, which is what
 * somebody wants to see: it is gone into as far as this, by all runs alike.
 */
const MAX_LISTS_PAST_END = 3_000_000;
/** Of tasks that begin there so many are told of. */
const MAX_REPORTED_TASKS = 500;
/** A task takes as long as so many lists before any code of it runs. */
const TASK_OVERHEAD_LISTS = 100;

type TurnStartedArguments = Parameters<NonNullable<TurnObserver['turnStarted']>>;

export interface StartedTurn {
  readonly turn: number;
  readonly actor: TurnStartedArguments[1];
  readonly call: TurnStartedArguments[2];
  /** The object that it is about, if it is a call. */
  readonly target: object | undefined;
  /** With what, who waits for the outcome, and whose message it is, if that is known. The program's own: to be looked at, and not to be kept. */
  readonly args: readonly unknown[];
  readonly replyTo: unknown;
  readonly sender: TurnStartedArguments[3];
}

export interface StartedTask {
  readonly kind: TaskKind;
  /** Of native code. */
  readonly entry?: EntryEvent;
  readonly turn?: StartedTurn;
}

export interface TaskObserver {
  /** Nothing of the program is to run before it answers. */
  taskStarted(task: StartedTask): void;
  /** @param lists statement lists that it has entered; 0 where nobody counts */
  taskEnded(lists: number): void;
  /** An event of the trace is taken; between tasks, if another worker or the runtime is behind it. */
  eventTaken?(event: TraceEvent): void;
  /** A phase begins, perhaps without a snapshot. */
  phaseStarted?(phase: number, isCutPoint: boolean): void;
  /** A message of another worker is taken. */
  messageTaken?(worker: number): void;
}

export interface TraceEndDeps {
  /** The last event of a trace that was cut off has been taken, and so many tasks have begun since. */
  reportPastEnd(tasks: number): void;
  /** What runs there is to go no further. */
  endAtCutOff(): never;
}

const NO_TURN_INPUT: Parameters<NonNullable<TurnObserver['turnInput']>> = [undefined, [], undefined];

export class TaskTracker {
  readonly #observer: TaskObserver;
  readonly #deps: TraceEndDeps;
  readonly #hungTask: number | undefined;
  #source: TraceSource | undefined;
  /** Behind the last event: how many lists may still be entered, and how many of the task that runs had been when that was known. */
  #remainingLists: number | undefined;
  #listsAtLimit = 0;
  /** So many have begun there. */
  #tasksPastEnd = 0;
  /** Of a program whose code has probes. */
  #clock: StatementClock | undefined;
  #isTaskOpen = false;
  /** What a turn that is about to begin is about. */
  #turnInput: Parameters<NonNullable<TurnObserver['turnInput']>> = NO_TURN_INPUT;
  /** The entry that was told of last: it is told of once more if it could not be performed. */
  #lastEntry: TraceEvent | undefined;

  /** @param hungTask it does not come back from that one of the tasks that begin behind the last event, or from the one in which that is (0) */
  constructor(observer: TaskObserver, deps: TraceEndDeps, hungTask?: number) {
    this.#observer = observer;
    this.#deps = deps;
    this.#hungTask = hungTask;
  }

  /** Before the program. */
  setClock(clock: StatementClock | undefined): void {
    this.#clock = clock;
  }

  /** The same trace; what is taken of it is seen. */
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
    // In the midst of the statement that it does not come back from.
    if (this.#remainingLists !== undefined && this.#hungTask === 0 && this.#isTaskOpen) this.#deps.endAtCutOff();
  }

  /** Whether that was the last one. */
  #checkPastEnd(): void {
    const source = this.#source;
    if (this.#remainingLists !== undefined || this.#clock === undefined || source === undefined) return;
    if (source.next !== undefined || source.end !== 'cut off') return;
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

  /** The program is about to be loaded. */
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
    // Who watches may set a stop in it.
    this.#clock?.restart();
    if (this.#remainingLists === undefined) return this.#observer.taskStarted(task);
    this.#tasksPastEnd++;
    // Of threads that go on and on it is no matter in which they are.
    if (this.#tasksPastEnd <= MAX_REPORTED_TASKS) this.#deps.reportPastEnd(this.#tasksPastEnd);
    this.#setListLimit(this.#tasksPastEnd === this.#hungTask ? 0 : this.#remainingLists);
    this.#observer.taskStarted(task);
  }

  /** Nothing of what has begun runs any more. */
  endTask(): void {
    if (!this.#isTaskOpen) return;
    this.#isTaskOpen = false;
    this.#observer.taskEnded(this.#clock?.listsEntered ?? 0);
  }
}
