// Logs the tasks of a replayed thread for a run index. A task is a turn, an entry from native code, the evaluation of
// the program, or a drain of jobs. It ends when the next task starts or the worker takes an event. Between two tasks
// only the runtime runs. The observer does not change the replay.
import { observeOutput } from '@turntable/boundary';
import type { Loader } from '../../thread/loader.ts';
import type { TraceEvent } from '@turntable/recording';
import { traceSourceName } from '@turntable/recording/sources';
import {
  ALL_MESSAGES,
  NO_SENDER,
  TaskLogWriter,
  type LoggedTask,
  type ThreadEndKind,
  type TextEventKind,
} from '@turntable/time-machine/task-log';
import {
  turnSubjectName,
  type TurnSubject,
  type MessageCounts,
  type Halt,
  type MessageOrigin,
  type MessageOrigins,
  type Scheduler,
} from '@turntable/runtime';
import { join } from 'node:path';
import { types } from 'node:util';
import type { TraceClock } from '../../trace/timeline.ts';
import { RunEventObserver, outputLine } from './run-event-observer.ts';
import type { TaskLogOptions } from '../replay-request.ts';
import type { ObservedThread } from './thread-observer.ts';
import type { StartedTask, StartedTurn, TaskObserver } from './task-tracker.ts';
import { methodLocation, type CodeLocator } from '../turn-notes.ts';

const MAIN_PROGRAM_NAME = 'the main program';
/** Maximum number of messages logged as undelivered when the thread ends. */
const MAX_UNDELIVERED = 100_000;
/** Event kinds logged in debug mode. Uncaught errors and output are logged in any mode. */
const LOGGED_EVENT_KINDS = [
  'caught',
  'rejection',
  'device',
  'request',
  'response',
] as const satisfies readonly TextEventKind[];

export class TaskLogObserver implements TaskObserver {
  readonly #thread: ObservedThread;
  readonly #log: TaskLogWriter;
  readonly #clock: TraceClock;
  readonly #mainName: string;
  #messageOrigins: MessageOrigins | undefined;
  #scheduler: Scheduler | undefined;
  #codeLocator: CodeLocator | undefined;
  #eventCount = 0;
  #taskCount = 0;
  #task: LoggedTask | undefined;
  /** Messages sent on this worker before the current task, and messages sent to other workers since its start. */
  #localSentBefore = 0;
  #remoteSent = 0;
  /** Message counters last logged, by worker. */
  readonly #logged: { epoch: number; sent: number; received: number }[] = [];
  #hasEnded = false;
  /** Present in debug mode. */
  #eventObserver: RunEventObserver | undefined;
  /** Events of the current task, without repetitions. */
  readonly #taskEvents = new Set<string>();
  readonly #methodLocations = new WeakMap<object, Map<string, string>>();

  constructor({ directory }: Pick<TaskLogOptions, 'directory'>, thread: ObservedThread, clock: TraceClock) {
    this.#thread = thread;
    this.#clock = clock;
    const { worker, epoch } = thread;
    this.#mainName = worker === 0 ? MAIN_PROGRAM_NAME : `worker ${worker}`;
    this.#log = new TaskLogWriter(join(directory, `${worker}.${epoch}.tsv`), thread);
    observeOutput((descriptor, bytes, text) => {
      this.#resolveEntryActor();
      if (!this.#hasEnded)
        this.#log.writeOutput(descriptor === 1 ? 'stdout' : 'stderr', bytes, () => outputLine(text()));
    });
  }

  attachLoader(loader: Loader): void {
    if (loader.statementClock === undefined) return;
    this.#eventObserver = new RunEventObserver(LOGGED_EVENT_KINDS, {
      isListening: () => this.#task !== undefined,
      onEvent: (kind, text, request) => this.#logEvent(kind as TextEventKind, text, request),
    });
    this.#eventObserver.attachLoader(loader);
  }

  /** Logs an event once in a task. Requests are distinct events even if their texts are equal. */
  #logEvent(kind: TextEventKind, text: string, request = 0): void {
    if (this.#hasEnded || this.#task === undefined) return;
    const eventKey = `${kind} ${request} ${text}`;
    if (this.#taskEvents.has(eventKey)) return;
    this.#taskEvents.add(eventKey);
    this.#log.writeTextEvent(kind, text, request);
  }

  eventTaken(event: TraceEvent): void {
    this.#eventCount++;
    this.#eventObserver?.eventTaken(event);
    if (event.type === 'outcome') this.#resolveEntryActor();
    this.#clock.now = this.#clock.read(event) ?? this.#clock.now;
    if (event.type !== 'messages' && event.type !== 'scheduler') return;
    if (this.#hasEnded) return;
    this.#logRuntimeMessages();
    this.#messageOrigins?.endMessage();
    if (event.type === 'scheduler' && event.kind === 'lost') this.#logLoss(event.key);
  }

  /** Logs the loss of a worker, which orders all tasks of that epoch before the tasks that follow here. */
  #logLoss(key: string): void {
    const [worker, epoch] = key.split(' ').map(Number);
    if (worker !== undefined && epoch !== undefined) this.#log.writeReceived(worker, epoch, ALL_MESSAGES);
  }

  taskStarted({ kind, entry, turn }: StartedTask): void {
    if (this.#hasEnded) return;
    if (turn !== undefined) return this.#startTurn(kind, turn);
    this.#startTask({ kind, ...(entry && { method: traceSourceName(entry.source), causeNumber: entry.id }) });
  }

  #startTurn(kind: LoggedTask['kind'], { turn, actor, call, target }: StartedTurn): void {
    const method = kind === 'call' ? turnSubjectName(call) : '';
    const methodLocation = target === undefined ? '' : this.#methodLocationOf(target, method);
    this.#startTask(
      { kind, method, methodLocation, actor: actor.name },
      turn,
      this.#messageOrigins?.originOfNext(actor),
    );
  }

  errorUncaught(text: string, error: unknown, isRejection: boolean): void {
    if (this.#hasEnded) return;
    this.#log.writeTextEvent(this.#eventObserver?.uncaughtKindOf(error, isRejection) ?? 'uncaught', text);
  }

  threadHalted({ reason, events, turns }: Pick<Halt, 'reason' | 'events' | 'turns'>): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#logUndelivered();
    this.#log.finish(reason satisfies ThreadEndKind, events, turns);
  }

  /** Logs messages that are still in mailboxes at the end, without replies. */
  #logUndelivered(): void {
    let count = 0;
    for (const [actor, messages] of this.#scheduler?.mailboxes() ?? []) {
      const origins = this.#messageOrigins?.waitingFor(actor) ?? [];
      for (const [i, message] of messages.entries()) {
        if (message.kind !== 'tell' && message.kind !== 'send') continue;
        if (count++ >= MAX_UNDELIVERED) return;
        // A restored mailbox has messages without origins, so the two lists do not correspond.
        const messageOrigin = origins.length === messages.length ? origins[i] : undefined;
        this.#log.writeUndelivered({
          actor: actor.name,
          subject: turnSubjectName(message.call as TurnSubject),
          sender: messageOrigin === undefined || messageOrigin.worker < 0 ? NO_SENDER : messageOrigin.worker,
          senderEpoch: messageOrigin?.epoch ?? 0,
          causeNumber: messageOrigin?.number ?? 0,
        });
      }
    }
  }

  processEnding(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#log.flush();
  }

  attachScheduler(scheduler: Scheduler, codeLocator: CodeLocator): void {
    this.#scheduler = scheduler;
    this.#codeLocator = codeLocator;
    this.#eventObserver?.attachScheduler(scheduler);
    const { worker, epoch } = this.#thread;
    this.#messageOrigins = scheduler.traceOrigins(() => {
      this.#resolveEntryActor();
      return this.#task === undefined ? undefined : { worker, epoch, number: this.#taskCount };
    });
  }

  phaseStarted(phase: number, isCutPoint: boolean): void {
    if (this.#hasEnded) return;
    this.#logRuntimeMessages();
    if (isCutPoint) this.#log.writePhase(phase);
    else this.#log.writeEvent('cut', phase);
  }

  messageTaken(worker: number): void {
    this.#messageOrigins?.beginMessage(worker);
  }

  /** Finds the actor that native code called, at the first message, host call or output of the entry. */
  #resolveEntryActor(): void {
    const task = this.#task;
    if (task?.kind === 'entry' && task.actor === this.#mainName && this.#scheduler !== undefined)
      task.actor = this.#scheduler.actorApi.currentActor().name;
  }

  #methodLocationOf(target: object, method: string): string {
    const prototype: unknown = types.isProxy(target) ? null : Object.getPrototypeOf(target);
    if (typeof prototype !== 'object' || prototype === null) return '';
    let locations = this.#methodLocations.get(prototype);
    if (locations === undefined) this.#methodLocations.set(prototype, (locations = new Map<string, string>()));
    let methodLocation = locations.get(method);
    if (methodLocation === undefined)
      locations.set(method, (methodLocation = this.#findMethodLocation(prototype, method)));
    return methodLocation;
  }

  #findMethodLocation(prototype: object, method: string): string {
    return (this.#codeLocator && methodLocation(prototype, method, this.#codeLocator).location) ?? '';
  }

  #startTask(
    fields: Pick<LoggedTask, 'kind'> & Partial<LoggedTask>,
    turn = this.#scheduler?.turns ?? 0,
    messageOrigin?: MessageOrigin,
  ): void {
    this.#logRuntimeMessages();
    this.#logReceived();
    this.#messageOrigins?.endMessage();
    this.#taskCount++;
    this.#taskEvents.clear();
    this.#eventObserver?.taskStarted(undefined);
    this.#localSentBefore = this.#messageOrigins?.sent ?? 0;
    this.#remoteSent = 0;
    this.#task = {
      method: '',
      methodLocation: '',
      actor: this.#mainName,
      causeNumber: messageOrigin?.number ?? 0,
      sender: messageOrigin === undefined || messageOrigin.worker < 0 ? NO_SENDER : messageOrigin.worker,
      senderEpoch: messageOrigin?.epoch ?? 0,
      turn,
      traceEvent: this.#eventCount + 1,
      time: this.#clock.now,
      ...fields,
    };
  }

  taskEnded(lists: number): void {
    const task = this.#task;
    if (task === undefined || this.#hasEnded) return;
    this.#task = undefined;
    this.#logSent();
    this.#log.writeTask(task, lists, (this.#messageOrigins?.sent ?? 0) - this.#localSentBefore + this.#remoteSent);
  }

  /** Logs messages that the runtime has sent since the last task. Must be called before the next event is taken. */
  #logRuntimeMessages(): void {
    const messageCounts = this.#messageOrigins?.messageCounts() ?? [];
    if (!messageCounts.some((counts) => counts.sent !== this.#loggedCounts(counts).sent)) return;
    this.#logReceived(messageCounts);
    this.#logSent(messageCounts);
    this.#log.writeRuntimeStep();
  }

  #logReceived(messageCounts = this.#messageOrigins?.messageCounts() ?? []): void {
    for (const counts of messageCounts) {
      const logged = this.#loggedCounts(counts);
      if (counts.taken === logged.received) continue;
      logged.received = counts.taken;
      this.#log.writeReceived(counts.worker, counts.epoch, counts.taken);
    }
  }

  #logSent(messageCounts = this.#messageOrigins?.messageCounts() ?? []): void {
    for (const counts of messageCounts) {
      const logged = this.#loggedCounts(counts);
      if (counts.sent === logged.sent) continue;
      this.#remoteSent += counts.sent - logged.sent;
      logged.sent = counts.sent;
      this.#log.writeSent(counts.worker, counts.epoch, counts.sent);
    }
  }

  #loggedCounts({ worker, epoch }: MessageCounts): { epoch: number; sent: number; received: number } {
    const logged = this.#logged[worker];
    if (logged?.epoch === epoch) return logged;
    return (this.#logged[worker] = { epoch, sent: 0, received: 0 });
  }
}
