// Observes the run events of a replayed thread: errors, output, host calls, requests, messages and promises
// (packages/time-machine/src/run-event-kinds.ts). It observes only requested kinds, does not change the replay and
// calls no code of the program.
import { subscribe } from 'node:diagnostics_channel';
import { isReactionKind, isRejectionKind, watchEventuals } from '@turntable/core';
import { observeDevices, observeOutput } from '@turntable/boundary';
import type { Loader } from '../../thread/loader.ts';
import type { TraceEvent } from '@turntable/recording';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import type { RunEventKind } from '@turntable/time-machine/task-log';
import { turnSubjectName, type Scheduler } from '@turntable/runtime';
import { isObject } from './is-object.ts';
import { ValueInspector } from './value-inspector.ts';
import type { StartedTurn } from './task-tracker.ts';

/** Maximum length of an event's text, in UTF-16 code units. */
const MAX_EVENT_TEXT_LENGTH = 500;

/** Names of inputs that the program reads without a host call, by trace source. */
const ASKED_SOURCE_NAMES: ReadonlyMap<number, string> = new Map([
  [TRACE_SOURCES.date, 'clock.date'],
  [TRACE_SOURCES.performance, 'clock.performance'],
  [TRACE_SOURCES.hrtime, 'clock.hrtime'],
  [TRACE_SOURCES.seed, 'random.seed'],
  [TRACE_SOURCES.randomness, 'random.bytes'],
  [TRACE_SOURCES.machine, 'machine'],
  [TRACE_SOURCES.app, 'turntable'],
]);

/** Kinds of thrown errors. An error is reported as one of them, so all are observed if one is wanted. */
const THROWN_KINDS = ['caught', 'rejection', 'uncaught', 'unhandled'] as const satisfies readonly RunEventKind[];

const NONE = Symbol('none');

export interface RunEventObserverDeps {
  /** Whether events are reported at the moment. */
  isListening(): boolean;
  /** @param request number of a request or its response on this thread, from 1 */
  onEvent(kind: RunEventKind, text: string, request?: number): void;
}

export class RunEventObserver {
  readonly #kinds: ReadonlySet<RunEventKind>;
  readonly #deps: RunEventObserverDeps;
  readonly #values = new ValueInspector(0);
  /**
   * Errors that were reported in this task, or delivered to it by a promise whose rejection was reported. Reset with
   * each task, so that reports do not depend on where the replay started.
   */
  #seenErrors: WeakSet<object> | undefined;
  /** All errors reported so far as caught or as rejections. */
  readonly #reportedErrors = new WeakSet();
  /** A primitive value that the current job delivers as a rejection, until it is thrown or rejects another promise. */
  #deliveredPrimitive: unknown = NONE;
  /** Description of the current turn, if a message started it. */
  #turnText: string | undefined;

  constructor(kinds: Iterable<RunEventKind>, deps: RunEventObserverDeps) {
    this.#kinds = new Set(kinds);
    this.#deps = deps;
  }

  /** Must be called before the program is loaded. */
  attachLoader(loader: Loader): void {
    if (this.#wantsAny(...THROWN_KINDS)) loader.statementClock?.watchCaught((error) => this.#onError('caught', error));
    if (this.#wantsAny('stdout', 'stderr'))
      observeOutput((descriptor, _, text) => this.#onOutput(descriptor === 1 ? 'stdout' : 'stderr', text));
    if (this.#wantsAny('device', 'request', 'response'))
      observeDevices({
        onHostCall: (name) => this.#emit('device', name),
        onRequest: (description, request) => this.#emit('request', description, request),
        onResponse: (description, request) => this.#emit('response', description, request),
      });
    if (this.#wantsAny('settle', 'await', ...THROWN_KINDS))
      watchEventuals({
        onSettled: (isRejected, value) => this.#onSettled(isRejected, value),
        onAwaited: () => this.#emit('await', ''),
      });
    if (this.#wantsAny('reaction', ...THROWN_KINDS))
      loader.realm.jobs.watchJobs((kind, value) => {
        this.#deliveredPrimitive = NONE;
        if (isRejectionKind(kind)) this.#onDelivered(value);
        if (isReactionKind(kind)) this.#emit('reaction', '');
      });
    if (this.#wantsAny('send')) subscribe('turntable.send', (sent) => this.#emit('send', sentMethod(sent)));
    if (this.#wantsAny('spawn')) subscribe('turntable.spawn', (spawned) => this.#emit('spawn', spawnedClass(spawned)));
  }

  attachScheduler(scheduler: Scheduler): void {
    if (!this.#wantsAny('reply', ...THROWN_KINDS)) return;
    scheduler.observeAnswers(({ name }, call, failure) => {
      this.#emit('reply', `${name}.${call}`);
      if (failure !== undefined) this.#onError('caught', failure.reason);
    });
  }

  taskStarted(turn: StartedTurn | undefined): void {
    this.#seenErrors = undefined;
    this.#deliveredPrimitive = NONE;
    this.#turnText =
      turn !== undefined && isMessageTurn(turn) ? `${turn.actor.name}.${turnSubjectName(turn.call)}` : undefined;
    if (this.#turnText === undefined) return;
    this.#emit('receive', this.#turnText);
    this.#emit('enter', this.#turnText);
  }

  /** Must be called when no code of the task runs any more. May be called twice. */
  taskEnded(): void {
    if (this.#turnText !== undefined) this.#emit('leave', this.#turnText);
    this.#turnText = undefined;
  }

  eventTaken(event: TraceEvent): void {
    const name = event.type === 'outcome' ? ASKED_SOURCE_NAMES.get(event.source) : undefined;
    if (name !== undefined) this.#emit('device', name);
  }

  /** @param isRejection whether the error is an unhandled rejection, which was reported when the promise was rejected */
  errorUncaught(text: string, error: unknown, isRejection: boolean): void {
    this.#emit(this.uncaughtKindOf(error, isRejection), text.split('\n', 1)[0] ?? '');
  }

  /** The kind of an uncaught error, which may have been reported before. */
  uncaughtKindOf(error: unknown, isRejection: boolean): 'uncaught' | 'unhandled' {
    return isRejection || (isObject(error) && this.#reportedErrors.has(error)) ? 'unhandled' : 'uncaught';
  }

  #wantsAny(...kinds: readonly RunEventKind[]): boolean {
    return kinds.some((kind) => this.#kinds.has(kind));
  }

  #onSettled(isRejected: boolean, value: unknown): void {
    this.#emit('settle', isRejected ? 'rejected' : 'fulfilled');
    if (isRejected) this.#onError('rejection', value);
  }

  /** Notes a rejection that a job delivers: it was reported when the promise was rejected. */
  #onDelivered(error: unknown): void {
    if (isObject(error)) this.#isFirstReport(error);
    else this.#deliveredPrimitive = error;
  }

  /** Reports a thrown or rejected value. Objects are reported once, primitive values each time that they are thrown. */
  #onError(kind: 'caught' | 'rejection', error: unknown): void {
    if (!this.#deps.isListening() || !this.#isFirstReport(error)) return;
    if (isObject(error)) this.#reportedErrors.add(error);
    this.#emit(kind, this.#values.toValue(error).preview);
    this.#values.forgetIds();
  }

  /** Whether an error has not been seen in this task. From now on it has. */
  #isFirstReport(error: unknown): boolean {
    if (!isObject(error)) {
      const isDelivered = Object.is(error, this.#deliveredPrimitive);
      if (isDelivered) this.#deliveredPrimitive = NONE;
      return !isDelivered;
    }
    this.#seenErrors ??= new WeakSet();
    if (this.#seenErrors.has(error)) return false;
    this.#seenErrors.add(error);
    return true;
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

/** Text of an output event, without the final line break. */
export function outputLine(output: string): string {
  return output.replace(/\r?\n$/, '').slice(0, MAX_EVENT_TEXT_LENGTH);
}

/** Whether the turn handles a message rather than a reply. */
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
