// What happens in the course of a thread's tasks, as it runs again, told as it does: errors, what is printed, calls of the outside, requests, messages, promises
// (packages/time-machine/src/run-event-kinds.ts says which there are). Only what somebody wants to hear of is looked at. It changes nothing of the run, and calls nothing of the program's.
import { subscribe } from 'node:diagnostics_channel';
import { isReactionKind, watchEventuals } from '@turntable/core';
import { observeDevices, observeOutput } from '@turntable/boundary';
import type { Loader } from '../../thread/loader.ts';
import type { TraceEvent } from '@turntable/recording';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import type { RunEventKind } from '@turntable/time-machine/task-log';
import { turnSubjectName, type Scheduler } from '@turntable/runtime';
import { ValueInspector } from './value-inspector.ts';
import type { StartedTurn } from './task-tracker.ts';

/** Units of what is told. */
const MAX_EVENT_TEXT_LENGTH = 500;

/** What the program asks without calling anything of the outside: it has its answers from the trace. */
const ASKED_SOURCE_NAMES: ReadonlyMap<number, string> = new Map([
  [TRACE_SOURCES.date, 'clock.date'],
  [TRACE_SOURCES.performance, 'clock.performance'],
  [TRACE_SOURCES.hrtime, 'clock.hrtime'],
  [TRACE_SOURCES.seed, 'random.seed'],
  [TRACE_SOURCES.randomness, 'random.bytes'],
  [TRACE_SOURCES.machine, 'machine'],
  [TRACE_SOURCES.app, 'turntable'],
]);

export interface RunEventObserverDeps {
  /** Whether anybody hears what is told now. */
  isListening(): boolean;
  /** @param request of a request, and of what it is answered: its number on this thread, from 1 on */
  onEvent(kind: RunEventKind, text: string, request?: number): void;
}

export class RunEventObserver {
  readonly #kinds: ReadonlySet<RunEventKind>;
  readonly #deps: RunEventObserverDeps;
  readonly #values = new ValueInspector(0);
  /** Errors of this task, which are told of once: not more than that, since where a run again begins is to make no difference. */
  #seenErrors: WeakSet<object> | undefined;
  #loader: Loader | undefined;
  /** The turn that runs, if a message has led to it. */
  #turnText: string | undefined;

  constructor(kinds: Iterable<RunEventKind>, deps: RunEventObserverDeps) {
    this.#kinds = new Set(kinds);
    this.#deps = deps;
  }

  /** The program is about to be loaded. */
  attachLoader(loader: Loader): void {
    this.#loader = loader;
    if (this.#wantsAny('exception')) loader.statementClock?.watchCaught((error) => this.#onError('exception', error));
    if (this.#wantsAny('stdout', 'stderr'))
      observeOutput((descriptor, _, text) => this.#onOutput(descriptor === 1 ? 'stdout' : 'stderr', text));
    if (this.#wantsAny('device', 'request', 'response'))
      observeDevices({
        onHostCall: (name) => this.#emit('device', name),
        onRequest: (description, request) => this.#emit('request', description, request),
        onResponse: (description, request) => this.#emit('response', description, request),
      });
    if (this.#wantsAny('resolved', 'rejection', 'awaited', 'exception'))
      watchEventuals({
        onSettled: (isRejected, value) => this.#onSettled(isRejected, value),
        onAwaited: () => this.#emit('awaited', ''),
      });
    if (this.#wantsAny('sent')) subscribe('turntable.send', (sent) => this.#emit('sent', sentMethod(sent)));
    if (this.#wantsAny('spawned'))
      subscribe('turntable.spawn', (spawned) => this.#emit('spawned', spawnedClass(spawned)));
  }

  /** The thread's scheduler is there. */
  attachScheduler(scheduler: Scheduler): void {
    if (this.#wantsAny('reaction'))
      this.#loader?.realm.jobs.watchJobs((kind) => {
        if (isReactionKind(kind)) this.#emit('reaction', '');
      });
    if (!this.#wantsAny('answered', 'exception')) return;
    scheduler.observeAnswers(({ name }, call, failure) => {
      this.#emit('answered', `${name}.${call}`);
      if (failure !== undefined) this.#onError('exception', failure.reason);
    });
  }

  taskStarted(turn: StartedTurn | undefined): void {
    this.#seenErrors = undefined;
    this.#turnText =
      turn !== undefined && isMessageTurn(turn) ? `${turn.actor.name}.${turnSubjectName(turn.call)}` : undefined;
    if (this.#turnText === undefined) return;
    this.#emit('received', this.#turnText);
    this.#emit('entered', this.#turnText);
  }

  /** Nothing of the task runs any more. Nothing is told if it is said again. */
  taskEnded(): void {
    if (this.#turnText !== undefined) this.#emit('left', this.#turnText);
    this.#turnText = undefined;
  }

  eventTaken(event: TraceEvent): void {
    const name = event.type === 'outcome' ? ASKED_SOURCE_NAMES.get(event.source) : undefined;
    if (name !== undefined) this.#emit('device', name);
  }

  /** Nobody catches it. */
  errorUncaught(error: string): void {
    this.#emit('error', error.split('\n', 1)[0] ?? '');
  }

  #wantsAny(...kinds: readonly RunEventKind[]): boolean {
    return kinds.some((kind) => this.#kinds.has(kind));
  }

  #onSettled(isRejected: boolean, value: unknown): void {
    this.#emit('resolved', isRejected ? 'rejected' : 'fulfilled');
    if (isRejected) this.#onError('rejection', value);
  }

  /** What is thrown may be anything; of what is no object each time counts. */
  #onError(kind: 'exception' | 'rejection', error: unknown): void {
    if (!this.#deps.isListening()) return;
    if ((typeof error === 'object' && error !== null) || typeof error === 'function') {
      this.#seenErrors ??= new WeakSet();
      if (this.#seenErrors.has(error)) return;
      this.#seenErrors.add(error);
    }
    this.#emit(kind, this.#values.toValue(error).preview);
    this.#values.forgetIds();
  }

  #onOutput(kind: 'stdout' | 'stderr', text: () => string): void {
    if (!this.#kinds.has(kind) || !this.#deps.isListening()) return;
    this.#emit(kind, outputLine(text()));
  }

  #emit(kind: RunEventKind, text: string, request?: number): void {
    if (this.#kinds.has(kind) && this.#deps.isListening())
      this.#deps.onEvent(kind, text.slice(0, MAX_EVENT_TEXT_LENGTH), request);
  }
}

/** What is told of what is printed. */
export function outputLine(output: string): string {
  return output.replace(/\r?\n$/, '').slice(0, MAX_EVENT_TEXT_LENGTH);
}

/** What comes back to who has asked is no message that somebody sends. */
function isMessageTurn({ call }: StartedTurn): boolean {
  return !(typeof call === 'object' && 'kind' in call && (call.kind === 'fulfil' || call.kind === 'reject'));
}

function sentMethod(sent: unknown): string {
  const { name, method } = sent as { readonly name: string; readonly method: string };
  return `${name}.${method}`;
}

function spawnedClass(spawned: unknown): string {
  return (spawned as { readonly class: string }).class;
}
