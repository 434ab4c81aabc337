// The coordinator of a replay process. It runs on a separate thread, because all threads of the program may be paused.
// The time machine tells it how far the threads may run. It reports when they have paused, and forwards requests and
// responses.
import { Socket } from 'node:net';
import { receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads';
import {
  CHANNEL_DESCRIPTOR,
  encodeMessage,
  type FromCoordinator,
  MessageDecoder,
  type NumberedTaskTrace,
  type ThreadName,
  type ThreadStatus,
  type ToCoordinator,
} from '@turntable/time-machine/replay-process';
import { ControlWords } from './control-words.ts';
import { sendAssignment, type AssignmentPort } from './assignment-port.ts';
import type { CoordinatorRequests, IdleReport, ThreadMessage, ThreadRequest } from './coordinator-channel.ts';
import { PACKAGE_FORM_FLAGS, programFileUrl } from '../program-file.ts';

export interface CoordinatorData {
  readonly threads: readonly ThreadName[];
  readonly memory: SharedArrayBuffer;
  /** Channels to the threads, in the order of `threads`. */
  readonly ports: readonly MessagePort[];
  /** Port to the main thread. In a standby process, it forwards the first message, which is the assignment. */
  readonly assignment?: AssignmentPort | undefined;
}

/** Must be called on the main thread, before the program is loaded. */
export function startCoordinator(workerData: CoordinatorData): void {
  const worker = new Worker(programFileUrl('coordinator'), {
    name: 'turntable coordinator',
    workerData,
    transferList: [...workerData.ports, ...(workerData.assignment === undefined ? [] : [workerData.assignment.port])],
    execArgv: [...PACKAGE_FORM_FLAGS],
    env: {},
  });
  worker.unref();
  worker.on('error', (error) => {
    process.stderr.write(`turntable: the coordinator of the replay process ended: ${String(error)}\n`);
    process.kill(process.pid, 'SIGKILL');
  });
}

/**
 * Limits of the poll interval for running threads. The interval is a twentieth of the run's duration, because each poll
 * interrupts the threads.
 */
const MIN_POLL_INTERVAL_MS = 1;
const MAX_POLL_INTERVAL_MS = 10;
/** Time without progress after which a thread counts as idle. */
const IDLE_AFTER_MS = 200;
const PROGRESS_INTERVAL_MS = 100;
/** Time without progress after which the run fails; longer while a thread starts, for busy machines. */
const STALL_TIMEOUT_MS = 5000;
const THREAD_START_TIMEOUT_MS = 30_000;

interface CoordinatedThread extends ThreadName {
  readonly words: ControlWords;
  readonly port: MessagePort;
  /** The last idle report of this run. */
  idleReport: IdleReport | undefined;
  /** Time at which an idle report last showed progress. */
  unchangedSince: number;
  isReportPending: boolean;
  /** Whether the main thread was asked to replace the worker, which has stopped, and whether it has. */
  replacement: 'none' | 'requested' | 'started';
  /** Number of messages with hits that have arrived. */
  hitMessages: number;
  /** The task traces that the thread has sent at its end, in the current run. */
  finalTraces: readonly NumberedTaskTrace[];
  /** Description of the thread's divergence from the recording. */
  divergence: string | undefined;
}

interface CurrentRun {
  readonly id: number;
  readonly pauseAt: ThreadName | undefined;
}

export class Coordinator {
  readonly #threads: readonly CoordinatedThread[];
  readonly #send: (message: FromCoordinator) => void;
  #currentRun: CurrentRun | undefined;
  /** Id of the coordinator's last own request. These ids are negative. */
  #lastRequestId = 0;
  readonly #pendingRequests = new Map<number, (response: ThreadMessage) => void>();
  #isPolling = false;
  #onChange: () => void = () => {};
  /** Times of the last progress message and of the start of the run. */
  #progressSentAt = 0;
  #runStartedAt = 0;

  constructor(
    { threads, memory, ports }: Omit<CoordinatorData, 'assignment'>,
    send: (message: FromCoordinator) => void,
  ) {
    this.#send = send;
    this.#threads = threads.map((name, index) => {
      const port = ports[index] as MessagePort;
      const words = new ControlWords(memory, index);
      const thread: CoordinatedThread = {
        ...name,
        words,
        port,
        idleReport: undefined,
        unchangedSince: 0,
        isReportPending: false,
        replacement: 'none',
        hitMessages: 0,
        finalTraces: [],
        divergence: undefined,
      };
      port.on('message', (json: string) => this.#receiveFrom(name, json));
      return thread;
    });
  }

  receive(message: ToCoordinator): void {
    if ('finish' in message) {
      for (const { words } of this.#threads) {
        words.release();
        words.wake();
      }
      // Workers that stop later are replaced at once.
      for (const thread of this.#threads) if (this.#isReplaceable(thread)) this.#requestReplacement(thread);
    } else if ('run' in message) this.#run(message.id, message.run);
    else {
      const { thread, ...request } = message;
      this.#request(thread, request, (response) => this.#send(response as FromCoordinator));
    }
  }

  #run(id: number, { limits, pauseAt, tracking }: Extract<ToCoordinator, { readonly run: unknown }>['run']): void {
    this.#currentRun = { id, pauseAt };
    this.#progressSentAt = this.#runStartedAt = Date.now();
    for (const thread of this.#threads) {
      const limit = limits.find((each) => isSameThread(each, thread))?.tasks ?? 0;
      const isPauseTarget = pauseAt !== undefined && isSameThread(pauseAt, thread);
      thread.words.allow(limit, isPauseTarget ? ('next' in pauseAt ? 'next' : pauseAt) : undefined, tracking);
      thread.idleReport = undefined;
      thread.unchangedSince = Date.now();
      thread.finalTraces = [];
    }
    for (const { words } of this.#threads) words.wake();
    void this.#poll();
  }

  /** Waits until all threads are paused or idle. Each round requests idle reports from the running threads. */
  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    let changed = Date.now();
    let previousText = '';
    // A message may have been in transit to a thread that reported to be idle, so two rounds must agree.
    for (let wereIdle = false; this.#currentRun !== undefined;) {
      this.#replaceStopped();
      const running = this.#threads.filter((thread) => !this.#isPaused(thread));
      for (const thread of running) this.#requestIdleReport(thread);
      const askedAt = Date.now();
      while (!this.#hasDiverged && running.some((thread) => thread.isReportPending && !this.#isPaused(thread)))
        await this.#nextChange();
      // A thread that does not answer is running a task, which may take any time.
      changed += Date.now() - askedAt;
      const areIdle = this.#threads.every(
        (thread) => (this.#isPaused(thread) || this.#isIdle(thread)) && thread.replacement !== 'requested',
      );
      // Control words arrive before hits that were sent earlier.
      const areHitsReceived = this.#threads.every(
        (thread) => thread.hitMessages === thread.words.hitMessages || this.#hasExited(thread),
      );
      if (this.#hasDiverged || (areIdle && areHitsReceived && (wereIdle || running.length === 0))) {
        this.#finishRun();
        break;
      }
      const statusText = this.#threads.map((thread) => this.#describe(thread)).join('; ');
      if (statusText !== previousText) changed = Date.now();
      previousText = statusText;
      if (Date.now() - changed > (this.#isThreadPending ? THREAD_START_TIMEOUT_MS : STALL_TIMEOUT_MS))
        this.#giveUp(statusText);
      else if (!areIdle || !areHitsReceived) await this.#nextChange();
      wereIdle = areIdle;
    }
    this.#isPolling = false;
  }

  /** Resolves when a thread reports a change, or after the poll interval. */
  #nextChange(): Promise<void> {
    if (Date.now() - this.#progressSentAt >= PROGRESS_INTERVAL_MS) this.#sendProgress();
    return new Promise((resolve) => {
      const runMs = Date.now() - this.#runStartedAt;
      const pollMs = Math.max(MIN_POLL_INTERVAL_MS, Math.min(MAX_POLL_INTERVAL_MS, runMs / 20));
      const timer = setTimeout(resolve, pollMs);
      this.#onChange = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  get #isThreadPending(): boolean {
    return this.#threads.some(({ words }) => words.state === 'pending' && words.limit > 0);
  }

  /** Whether a thread has diverged. Other threads may then wait forever for its messages. */
  get #hasDiverged(): boolean {
    return this.#threads.some(({ words, divergence }) => divergence !== undefined && words.startedTasks < words.limit);
  }

  /** Whether the control words show that the thread is paused where the current run requires. */
  #isPaused(thread: CoordinatedThread): boolean {
    if (this.#hasExited(thread)) return true;
    const { words } = thread;
    const { state, limit, startedTasks } = words;
    switch (state) {
      case 'ended':
        // A thread that has acknowledged the call cannot move back.
        return words.isUpToDate || startedTasks < limit || (startedTasks === limit && words.target === undefined);
      case 'gone':
        return true;
      case 'undo-failed':
        return words.isUpToDate;
      case 'pending':
        // The main thread always exists.
        return limit === 0 && thread.worker > 0;
      case 'at-task':
        return words.isUpToDate && startedTasks === limit;
      case 'at-statement':
        return words.isUpToDate && startedTasks === limit && this.#isPauseTarget(thread);
      case 'running':
      case 'undoing':
        return false;
    }
  }

  /** Replaces stopped workers if the other threads cannot reach their limits without it. */
  #replaceStopped(): void {
    for (const thread of this.#threads)
      if (this.#isReplaceable(thread) && this.#threads.some((each) => each !== thread && isBeforeLimit(each)))
        this.#requestReplacement(thread);
  }

  /** Whether a worker has stopped, does not go back, and is still to be replaced. */
  #isReplaceable(thread: CoordinatedThread): boolean {
    const { replacement, words } = thread;
    const hasStopped = words.state === 'ended' || words.state === 'gone';
    if (replacement !== 'none' || !hasStopped || words.startedTasks > words.limit) return false;
    const successors = this.#threads.filter((each) => isSuccessor(each, thread));
    return successors.length > 0 && successors.every(({ words: { state } }) => state === 'pending');
  }

  #requestReplacement(thread: CoordinatedThread): void {
    const { worker, epoch } = thread;
    const mainThread = this.#threads.find((each) => each.worker === 0) as CoordinatedThread;
    thread.replacement = 'requested';
    this.#requestOwn(mainThread, 'replaceStopped', { worker, epoch }, (isReplaced) => {
      thread.replacement = isReplaced ? 'started' : 'none';
      this.#onChange();
    });
  }

  #isPauseTarget(thread: CoordinatedThread): boolean {
    const { pauseAt } = this.#currentRun ?? {};
    return pauseAt !== undefined && isSameThread(pauseAt, thread);
  }

  #isIdle({ words, idleReport, unchangedSince }: CoordinatedThread): boolean {
    if (words.state !== 'running' || words.startedTasks !== words.limit || idleReport === undefined) return false;
    // A thread that is restoring its snapshot makes no progress but is not idle.
    return idleReport.isIdle || (idleReport.isRestored && Date.now() - unchangedSince > IDLE_AFTER_MS);
  }

  #requestIdleReport(thread: CoordinatedThread): void {
    if (thread.isReportPending || !/^(?:running|ended)$/.test(thread.words.state)) return;
    thread.isReportPending = true;
    this.#requestOwn(thread, 'idleReport', undefined, (idleReport) => {
      thread.isReportPending = false;
      if (idleReport.progress !== thread.idleReport?.progress) thread.unchangedSince = Date.now();
      thread.idleReport = idleReport;
      this.#onChange();
    });
  }

  #requestOwn<Q extends keyof CoordinatorRequests>(
    thread: CoordinatedThread,
    request: Q,
    params: CoordinatorRequests[Q]['params'],
    resolve: (result: CoordinatorRequests[Q]['result']) => void,
  ): void {
    this.#request(thread, { id: --this.#lastRequestId, request, params }, ({ result }) =>
      resolve(result as CoordinatorRequests[Q]['result']),
    );
  }

  #describe({ worker, epoch, words, idleReport }: CoordinatedThread): string {
    const { state, startedTasks, limit } = words;
    const stateText = state === 'running' && idleReport?.isIdle === true ? 'waits' : state;
    return `worker ${worker}${epoch === 0 ? '' : `, epoch ${epoch},`} ${stateText} after ${startedTasks} of ${limit} tasks`;
  }

  #sendProgress(): void {
    this.#progressSentAt = Date.now();
    let done = 0;
    let total = 0;
    for (const { words } of this.#threads) {
      done += words.startedTasks;
      total += words.limit;
    }
    this.#send({ done, total });
  }

  #giveUp(status: string): void {
    const { id } = this.#currentRun as CurrentRun;
    this.#currentRun = undefined;
    this.#send({ id, error: `the threads make no progress: ${status}` });
  }

  #finishRun(): void {
    const { id } = this.#currentRun as CurrentRun;
    this.#currentRun = undefined;
    for (const thread of this.#threads) if (this.#hasExited(thread)) this.#receivePending(thread);
    const threads = this.#threads.map((thread) => this.#statusOf(thread));
    this.#send({ id, threads, memory: process.memoryUsage.rss() });
  }

  #request({ worker, epoch }: ThreadName, request: ThreadRequest, resolve: (response: ThreadMessage) => void): void {
    const thread = this.#threads.find((each) => isSameThread(each, { worker, epoch }));
    if (thread !== undefined && request.request === 'taskTraces' && this.#hasExited(thread))
      return resolve({ id: request.id, result: thread.finalTraces });
    if (thread === undefined || thread.words.state === 'pending' || this.#hasExited(thread)) {
      const error = `worker ${worker} does not exist${epoch === 0 ? '' : ` in epoch ${epoch}`}`;
      return resolve({ id: request.id, error });
    }
    this.#pendingRequests.set(request.id, resolve);
    thread.port.postMessage(JSON.stringify(request));
    thread.words.wake();
  }

  #statusOf(thread: CoordinatedThread): ThreadStatus {
    const { worker, epoch, words, divergence } = thread;
    const { state, startedTasks, pausedAt: at, endReason } = words;
    const reportedState = this.#hasExited(thread)
      ? 'gone'
      : state === 'running' || state === 'undoing'
        ? 'idle'
        : state;
    return { worker, epoch, state: reportedState, startedTasks, ...at, endReason, divergence };
  }

  /** Whether the thread has exited, or was replaced by a worker of a later epoch. It will not respond. */
  #hasExited(thread: CoordinatedThread): boolean {
    if (thread.words.state === 'gone' || thread.replacement === 'started') return true;
    return this.#threads.some((each) => isSuccessor(each, thread) && each.words.state !== 'pending');
  }

  /** Receives what a thread has sent before it exited. */
  #receivePending(thread: CoordinatedThread): void {
    const { port } = thread;
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port))
      this.#receiveFrom(thread, (next as { readonly message: string }).message);
  }

  #receiveFrom({ worker, epoch }: ThreadName, json: string): void {
    const message = JSON.parse(json) as ThreadMessage;
    const thread = this.#threads.find((each) => isSameThread(each, { worker, epoch }));
    if (thread !== undefined) {
      thread.divergence ??= message.divergence;
      thread.finalTraces = message.taskTraces ?? thread.finalTraces;
    }
    if (message.hits !== undefined) {
      if (thread !== undefined) thread.hitMessages++;
      this.#send({ hits: message.hits, thread: { worker, epoch } });
    }
    if (message.id === 0) return this.#onChange();
    const resolve = this.#pendingRequests.get(message.id);
    this.#pendingRequests.delete(message.id);
    resolve?.(message);
  }
}

/** Whether one thread is that of a later epoch of the other one's worker. */
function isSuccessor(one: ThreadName, other: ThreadName): boolean {
  return one.worker === other.worker && one.epoch > other.epoch;
}

function isBeforeLimit({ words }: CoordinatedThread): boolean {
  return words.startedTasks < words.limit;
}

function isSameThread(left: ThreadName, right: ThreadName): boolean {
  return left.worker === right.worker && left.epoch === right.epoch;
}

/** Runs the coordinator on its thread. Kills the process when the parent closes the channel. */
export function serveCoordinator(data: CoordinatorData): void {
  const socket = new Socket({ fd: CHANNEL_DESCRIPTOR, readable: true, writable: true });
  const coordinator = new Coordinator(data, (message) => void socket.write(encodeMessage(message)));
  const decoder = new MessageDecoder();
  let { assignment } = data;
  const receive = (message: unknown): void => {
    if (assignment === undefined) return coordinator.receive(message as ToCoordinator);
    sendAssignment(assignment, message);
    assignment = undefined;
  };
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => decoder.decode(chunk).forEach(receive));
  socket.on('error', () => undefined);
  socket.on('close', () => process.kill(process.pid, 'SIGKILL'));
}
