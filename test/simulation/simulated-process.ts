// A process whose threads all run in one thread of the host, step by step, in an order that a seed determines. A step is
// a macrotask with its ticks and microtasks. In the middle of a step, other threads may run, the thread may be lost,
// or the process may be killed: at any operation on shared memory, ports or files. Time is virtual.
import { EventEmitter } from 'node:events';
import { seededRandom } from '../../scripts/test-run/seeded-random.ts';
import type { SimulatedPort } from './simulated-ports.ts';

type Task = () => void;

export interface SimulatedTimer {
  readonly callback: Task;
  readonly interval: number | undefined;
  dueMs: number;
  isRef: boolean;
}

/** Ends the current thread's step by an exception, because the thread called `process.exit`. */
class ThreadExit extends Error {}
/** Leaves the current step, because the thread blocks for good while a step of another thread is suspended. */
class ThreadBlock extends Error {}
/** Leaves all steps, because the simulated process has ended. */
class ProcessEnd extends Error {}

/** Whether an error comes from code that has outlived its process. */
export function isProcessEnd(error: unknown): boolean {
  return error instanceof ProcessEnd;
}

export type ThreadEnd = { readonly code: number; readonly error?: unknown };

export class SimulatedThread {
  readonly name: string;
  /** Tasks of the current iteration of the event loop. */
  readonly tasks: Task[] = [];
  readonly ticks: Task[] = [];
  readonly microtasks: Task[] = [];
  immediates: Task[] = [];
  /** Events of the host, such as the exit of another thread. */
  readonly hostEvents: Task[] = [];
  readonly timers = new Set<SimulatedTimer>();
  readonly ports = new Set<SimulatedPort>();
  /** Threads that this one has started and that keep its event loop running. */
  readonly referencedChildren = new Set<object>();
  readonly children = new Set<SimulatedThread>();
  readonly processEvents = new EventEmitter();
  readonly onEnd: (end: ThreadEnd) => void;
  exitCode: number | undefined;
  hasEnded = false;
  /** Whether a step of the thread is on the stack below. */
  isSuspended = false;
  /** Whether the thread blocks for good, so that nothing it does while its step is left has an effect. */
  isBlocked = false;
  /** Whether the running code may have settled native promises, whose jobs must wait for the end of its step. */
  mayHaveJobs = false;
  /** Whether its code uses native promises. Actors use promises of the realm. */
  readonly hasNativePromises: boolean;

  constructor(name: string, hasNativePromises: boolean, onEnd: (end: ThreadEnd) => void) {
    this.name = name;
    this.hasNativePromises = hasNativePromises;
    this.onEnd = onEnd;
  }

  /** Whether Node's event loop would continue. */
  get isAlive(): boolean {
    return (
      this.immediates.length > 0 ||
      this.hostEvents.length > 0 ||
      this.referencedChildren.size > 0 ||
      [...this.timers].some(({ isRef }) => isRef) ||
      [...this.ports].some((port) => port.keepsAlive)
    );
  }
}

export interface ThreadLoss {
  /** Number of the operation. The thread of actors that makes it, or the next one, is lost. */
  readonly at: number;
  readonly isOutOfMemory: boolean;
}

export interface SimulationOptions {
  readonly seed: number;
  /** Number of the operation at which the process is killed. */
  readonly killAt?: number | undefined;
  /** In the order of their operations. */
  readonly losses?: readonly ThreadLoss[];
  /** Called when a thread was lost. */
  onLost?(thread: SimulatedThread): void;
  /** Called when the process is killed, before anything else happens. */
  onKilled?(): void;
}

/** Share of operations in which other threads run. */
const PREEMPTION_RATE = 1 / 40;
/** Largest number of steps of other threads during an operation. */
const MAX_PREEMPTING_STEPS = 12;
/** A run that takes more steps counts as endless. */
const MAX_STEPS = 400_000;

const realProcess = process as typeof process & { _tickCallback(): void };

let active: SimulatedProcess | undefined;

/** The process that is being simulated; undefined outside of a run. */
export function activeProcess(): SimulatedProcess | undefined {
  return active;
}

export class SimulatedProcess {
  readonly random: () => number;
  readonly #options: SimulationOptions;
  readonly #threads: SimulatedThread[] = [];
  readonly #losses: ThreadLoss[];
  #current: SimulatedThread | undefined;
  #nowMs = 0;
  #operations = 0;
  #steps = 0;
  /** Number of suspended steps on the stack that will be resumed. */
  #suspendedSteps = 0;
  #isInCheckpoint = false;
  /** Whether native jobs of a suspended thread may be waiting, so that no thread may run any. */
  #areJobsHeld = false;
  #end: 'killed' | 'ended' | 'hung' | undefined;
  /** Errors that nothing has handled. */
  readonly errors: unknown[] = [];
  readonly warnings: unknown[] = [];

  constructor(options: SimulationOptions) {
    this.#options = options;
    this.random = seededRandom(options.seed);
    this.#losses = [...(options.losses ?? [])];
  }

  get operations(): number {
    return this.#operations;
  }

  get steps(): number {
    return this.#steps;
  }

  /** The running thread. */
  get thread(): SimulatedThread {
    this.#checkEnd();
    if (this.#current === undefined) throw new Error('no simulated thread is running');
    return this.#current;
  }

  /** Runs a program until the process ends. Must be called in a macrotask of the host. */
  run(main: () => void): 'killed' | 'ended' | 'hung' {
    if (active !== undefined) throw new Error('another process is being simulated');
    active = this;
    try {
      this.startThread('main', undefined, main, ({ error }) => {
        if (error !== undefined) this.errors.push(error);
        this.finish('ended');
      });
      this.#runAll();
    } catch (error) {
      if (!(error instanceof ProcessEnd)) throw error;
    } finally {
      // Leftover microtasks of the simulated threads must find the process ended.
      realProcess._tickCallback();
      active = undefined;
    }
    return this.#end ?? 'hung';
  }

  /** Whether a thread of this name runs actors only. */
  isActorThread(name: string): boolean {
    return name.startsWith('turntable worker');
  }

  startThread(
    name: string,
    parent: SimulatedThread | undefined,
    entry: Task,
    onEnd: (end: ThreadEnd) => void,
  ): SimulatedThread {
    const thread = new SimulatedThread(name, !this.isActorThread(name), onEnd);
    this.#threads.push(thread);
    parent?.children.add(thread);
    thread.hostEvents.push(entry);
    return thread;
  }

  finish(end: 'killed' | 'ended' | 'hung'): void {
    this.#end ??= end;
  }

  #checkEnd(): void {
    if (this.#end !== undefined) throw new ProcessEnd();
  }

  #runAll(): void {
    while (this.#end === undefined) {
      if (!this.#runStep()) this.finish('hung');
      if (this.#steps > MAX_STEPS) this.finish('hung');
    }
  }

  /** Runs one step of any thread, or lets time pass. Returns false if nothing can happen any more. */
  #runStep(untilMs = Infinity): boolean {
    const ready = this.#threads.filter(
      (thread) => this.#canRun(thread) && !(this.#areJobsHeld && thread.hasNativePromises) && this.#hasTasks(thread),
    );
    if (ready.length === 0) return this.#passTime(untilMs);
    const thread = ready[this.#choose(ready.length)] as SimulatedThread;
    this.#steps++;
    this.#nowMs += this.random() * 0.05;
    this.#runIn(thread, thread.tasks.shift() ?? (() => this.#endLoop(thread)));
    return true;
  }

  #canRun(thread: SimulatedThread): boolean {
    return !thread.hasEnded && !thread.isSuspended;
  }

  /** Whether the thread's event loop has something to do. Begins its next iteration, in the order of Node's phases. */
  #hasTasks(thread: SimulatedThread): boolean {
    const { tasks } = thread;
    if (tasks.length > 0) return true;
    // It ends. The end of the main thread blocks, which it may only while no other thread is suspended.
    if (!thread.isAlive) return this.#suspendedSteps === 0;
    for (const timer of thread.timers)
      if (timer.dueMs <= this.#nowMs) tasks.push(() => thread.timers.has(timer) && this.#fire(thread, timer));
    const polled = [...thread.ports].map((port) => Array.from({ length: port.eventCount }, () => () => port.deliver()));
    polled.push(thread.hostEvents.map(() => () => thread.hostEvents.shift()?.()));
    while (polled.length > 0) tasks.push(...(polled.splice(this.#choose(polled.length), 1)[0] as Task[]));
    if (thread.immediates.length > 0 || tasks.length > 0) tasks.push(() => this.#runImmediates(thread));
    return tasks.length > 0;
  }

  #fire(thread: SimulatedThread, timer: SimulatedTimer): void {
    if (timer.interval === undefined) thread.timers.delete(timer);
    else timer.dueMs = this.#nowMs + timer.interval;
    timer.callback();
  }

  /** Runs the immediates that were requested before this phase of the loop. */
  #runImmediates(thread: SimulatedThread): void {
    const immediates = thread.immediates;
    thread.immediates = [];
    for (const immediate of immediates) {
      thread.mayHaveJobs = false;
      immediate();
      this.#drain(thread);
    }
  }

  /** The event loop has nothing left: the thread ends unless a listener of `beforeExit` has more to do. */
  #endLoop(thread: SimulatedThread): void {
    thread.processEvents.emit('beforeExit', 0);
    this.#drain(thread);
    if (!thread.isAlive) this.exit(thread.exitCode ?? 0);
  }

  #passTime(untilMs: number): boolean {
    let nextMs = untilMs;
    for (const thread of this.#threads)
      if (this.#canRun(thread))
        // A timer that is due now belongs to a thread that is ending.
        for (const { dueMs } of thread.timers) if (dueMs > this.#nowMs) nextMs = Math.min(nextMs, dueMs);
    if (nextMs === Infinity) return false;
    this.#nowMs = Math.max(this.#nowMs, nextMs);
    return true;
  }

  #runIn(thread: SimulatedThread, task: Task): void {
    const outer = this.#current;
    this.#current = thread;
    thread.mayHaveJobs = thread.hasNativePromises;
    try {
      task();
      this.#drain(thread);
    } catch (error) {
      if (error instanceof ProcessEnd) throw error;
      if (thread.isBlocked) return;
      if (error instanceof ThreadExit) this.endThread(thread, { code: thread.exitCode ?? 0 });
      else this.endThread(thread, { code: 1, error });
    } finally {
      this.#current = outer;
    }
    this.#checkEnd();
  }

  /** Runs the ticks and microtasks of the current step. */
  #drain(thread: SimulatedThread): void {
    do {
      thread.mayHaveJobs = thread.hasNativePromises;
      for (let tick = thread.ticks.shift(); tick !== undefined; tick = thread.ticks.shift()) tick();
      this.#runNativeMicrotasks();
      for (let task = thread.microtasks.shift(); task !== undefined; task = thread.microtasks.shift()) {
        // Code of actors, which uses no native promises.
        thread.mayHaveJobs = false;
        task();
        this.#runNativeMicrotasks();
      }
    } while (thread.ticks.length > 0);
  }

  #runNativeMicrotasks(): void {
    if (this.#areJobsHeld) return;
    this.#isInCheckpoint = true;
    try {
      realProcess._tickCallback();
    } finally {
      this.#isInCheckpoint = false;
    }
    this.#checkEnd();
  }

  #choose(count: number): number {
    return Math.floor(this.random() * count);
  }

  /** Called before each operation that another thread or process can see. */
  operation(): void {
    const thread = this.#current;
    this.#checkEnd();
    if (thread === undefined) return;
    if (thread.isBlocked) throw new ThreadBlock();
    this.#operations++;
    if (this.#options.killAt !== undefined && this.#operations >= this.#options.killAt) {
      this.#options.onKilled?.();
      this.finish('killed');
      throw new ProcessEnd();
    }
    if (this.#suspendedSteps > 0 || this.#isInCheckpoint) return;
    const [loss] = this.#losses;
    if (loss !== undefined && this.#operations >= loss.at && !thread.hasNativePromises) {
      this.#losses.shift();
      return this.#loseThread(thread, loss);
    }
    if (this.random() < PREEMPTION_RATE) this.#preempt(thread);
  }

  #preempt(thread: SimulatedThread): void {
    const steps = 1 + this.#choose(MAX_PREEMPTING_STEPS);
    this.#areJobsHeld = thread.mayHaveJobs;
    this.#suspend(thread, () => {
      for (let i = 0; i < steps; i++) if (!this.#runStep(this.#nowMs)) return;
    });
    this.#areJobsHeld = false;
  }

  /** Runs others in the middle of a thread's step. Does not return if the thread is ended meanwhile. */
  #suspend(thread: SimulatedThread, runOthers: () => void): void {
    thread.isSuspended = true;
    this.#suspendedSteps++;
    try {
      runOthers();
    } finally {
      this.#suspendedSteps--;
      thread.isSuspended = false;
    }
    if (thread.hasEnded) this.#neverReturn();
  }

  /** Leaves the current step unfinished for good. */
  #neverReturn(): never {
    this.#current = undefined;
    this.#runAll();
    throw new ProcessEnd();
  }

  /** Ends the running thread in the middle of its step. */
  #loseThread(thread: SimulatedThread, { isOutOfMemory }: ThreadLoss): never {
    this.#options.onLost?.(thread);
    const error = Object.assign(new Error('the heap is full'), { code: 'ERR_WORKER_OUT_OF_MEMORY' });
    this.endThread(thread, { code: 1, ...(isOutOfMemory && { error }) });
    this.#neverReturn();
  }

  /** Whether the running thread may block for good. */
  get #canBlock(): boolean {
    return this.#suspendedSteps === 0 && !this.#isInCheckpoint;
  }

  /** Blocks the running thread until `isDone`. Returns false after the timeout. */
  block(isDone: () => boolean, timeoutMs: number): boolean {
    const { thread } = this;
    const untilMs = this.#nowMs + timeoutMs;
    if (!this.#canBlock) {
      if (timeoutMs === Infinity) {
        thread.isBlocked = thread.isSuspended = true;
        throw new ThreadBlock();
      }
      this.#nowMs = Math.min(untilMs, this.#nowMs + 0.1);
      return isDone();
    }
    this.#suspend(thread, () => {
      while (!isDone() && this.#nowMs < untilMs && this.#end === undefined) if (!this.#runStep(untilMs)) return;
    });
    if (timeoutMs === Infinity && !isDone()) {
      thread.isSuspended = true;
      this.#neverReturn();
    }
    return isDone();
  }

  /** Ends a thread at once. A suspended step of it is never resumed. */
  endThread(thread: SimulatedThread, end: ThreadEnd): void {
    if (thread.hasEnded) return;
    thread.hasEnded = true;
    for (const child of thread.children) this.endThread(child, { code: 1 });
    for (const port of thread.ports) port.close();
    thread.onEnd(end);
  }

  /** `process.exit` of the running thread. */
  exit(code: number): never {
    const { thread } = this;
    thread.exitCode = code;
    thread.processEvents.emit('exit', code);
    throw new ThreadExit();
  }

  readClock(): number {
    // Work takes time, now and then more than a round should.
    return (this.#nowMs += this.random() < 0.03 ? 1.2 : this.random() * 0.02);
  }

  setTimer(callback: Task, delayMs: number, isRepeated: boolean): SimulatedTimer {
    const delay = Math.max(1, delayMs);
    const timer: SimulatedTimer = {
      callback,
      interval: isRepeated ? delay : undefined,
      dueMs: this.#nowMs + delay,
      isRef: true,
    };
    this.thread.timers.add(timer);
    return timer;
  }
}
