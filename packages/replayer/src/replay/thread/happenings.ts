// What happens in the course of a thread's stretches, as it runs again, told as it does: errors, what is printed, calls of the outside, requests, messages, promises
// (packages/time-machine/src/happenings.ts says which there are). Only what somebody wants to hear of is looked at. It changes nothing of the run, and calls nothing of the program's.
import { subscribe } from 'node:diagnostics_channel';
import { isReaction, watchEventuals } from '@turntable/core';
import { watchDevices, watchPrinted } from '@turntable/boundary';
import type { Loader } from '../../thread/loader.ts';
import type { TraceEvent } from '@turntable/recording';
import { SOURCES } from '@turntable/recording/sources';
import type { HappeningKind } from '@turntable/time-machine/notes';
import { calledName, type Scheduler } from '@turntable/runtime';
import { ShownValues } from './shown-values.ts';
import type { BegunTurn } from './stretches.ts';

/** Units of what is told. */
const LONGEST = 500;

/** What the program asks without calling anything of the outside: it has its answers from the trace. */
const ASKED: ReadonlyMap<number, string> = new Map([
  [SOURCES.date, 'clock.date'],
  [SOURCES.performance, 'clock.performance'],
  [SOURCES.hrtime, 'clock.hrtime'],
  [SOURCES.seed, 'random.seed'],
  [SOURCES.randomness, 'random.bytes'],
  [SOURCES.machine, 'machine'],
  [SOURCES.app, 'turntable'],
]);

export interface HappeningsPorts {
  /** Whether anybody hears what is told now. */
  isHeard(): boolean;
  /** @param request of a request, and of what it is answered: its number on this thread, from 1 on */
  tell(kind: HappeningKind, text: string, request?: number): void;
}

export class Happenings {
  readonly #wanted: ReadonlySet<HappeningKind>;
  readonly #ports: HappeningsPorts;
  readonly #values = new ShownValues(0);
  /** Errors of this stretch, which are told of once: not more than that, since where a run again begins is to make no difference. */
  #seen: WeakSet<object> | undefined;
  #loader: Loader | undefined;
  /** The turn that runs, if a message has led to it. */
  #turn: string | undefined;

  constructor(wanted: Iterable<HappeningKind>, ports: HappeningsPorts) {
    this.#wanted = new Set(wanted);
    this.#ports = ports;
  }

  /** The program is about to be loaded. */
  starts(loader: Loader): void {
    this.#loader = loader;
    if (this.#wants('exception')) loader.statements?.watchCaught((error) => this.#fails('exception', error));
    if (this.#wants('stdout', 'stderr'))
      watchPrinted((descriptor, _, text) => this.#prints(descriptor === 1 ? 'stdout' : 'stderr', text));
    if (this.#wants('device', 'request', 'response'))
      watchDevices({
        called: (name) => this.#happens('device', name),
        requested: (what, request) => this.#happens('request', what, request),
        responded: (what, request) => this.#happens('response', what, request),
      });
    if (this.#wants('resolved', 'rejection', 'awaited', 'exception'))
      watchEventuals({
        settled: (isRejected, value) => this.#settles(isRejected, value),
        awaited: () => this.#happens('awaited', ''),
      });
    if (this.#wants('sent')) subscribe('turntable.send', (sent) => this.#happens('sent', methodIn(sent)));
    if (this.#wants('spawned')) subscribe('turntable.spawn', (spawned) => this.#happens('spawned', classIn(spawned)));
  }

  /** The thread's scheduler is there. */
  follows(scheduler: Scheduler): void {
    if (this.#wants('reaction'))
      this.#loader?.realm.jobs.watchRuns((kind) => {
        if (isReaction(kind)) this.#happens('reaction', '');
      });
    if (!this.#wants('answered', 'exception')) return;
    scheduler.watchAnswers(({ name }, call, failure) => {
      this.#happens('answered', `${name}.${call}`);
      if (failure !== undefined) this.#fails('exception', failure.reason);
    });
  }

  begins(turn: BegunTurn | undefined): void {
    this.#seen = undefined;
    this.#turn = turn !== undefined && isOfMessage(turn) ? `${turn.actor.name}.${calledName(turn.call)}` : undefined;
    if (this.#turn === undefined) return;
    this.#happens('received', this.#turn);
    this.#happens('entered', this.#turn);
  }

  /** Nothing of the stretch runs any more. Nothing is told if it is said again. */
  ends(): void {
    if (this.#turn !== undefined) this.#happens('left', this.#turn);
    this.#turn = undefined;
  }

  takes(event: TraceEvent): void {
    const name = event.what === 'outcome' ? ASKED.get(event.source) : undefined;
    if (name !== undefined) this.#happens('device', name);
  }

  /** Nobody catches it. */
  fails(error: string): void {
    this.#happens('error', error.split('\n', 1)[0] ?? '');
  }

  #wants(...kinds: readonly HappeningKind[]): boolean {
    return kinds.some((kind) => this.#wanted.has(kind));
  }

  #settles(isRejected: boolean, value: unknown): void {
    this.#happens('resolved', isRejected ? 'rejected' : 'fulfilled');
    if (isRejected) this.#fails('rejection', value);
  }

  /** What is thrown may be anything; of what is no object each time counts. */
  #fails(kind: 'exception' | 'rejection', error: unknown): void {
    if (!this.#ports.isHeard()) return;
    if ((typeof error === 'object' && error !== null) || typeof error === 'function') {
      this.#seen ??= new WeakSet();
      if (this.#seen.has(error)) return;
      this.#seen.add(error);
    }
    this.#happens(kind, this.#values.value(error).preview);
    this.#values.forget();
  }

  #prints(kind: 'stdout' | 'stderr', text: () => string): void {
    if (!this.#wanted.has(kind) || !this.#ports.isHeard()) return;
    this.#happens(kind, lineOf(text()));
  }

  #happens(kind: HappeningKind, text: string, request?: number): void {
    if (this.#wanted.has(kind) && this.#ports.isHeard()) this.#ports.tell(kind, text.slice(0, LONGEST), request);
  }
}

/** What is told of what is printed. */
export function lineOf(printed: string): string {
  return printed.replace(/\r?\n$/, '').slice(0, LONGEST);
}

/** What comes back to who has asked is no message that somebody sends. */
function isOfMessage({ call }: BegunTurn): boolean {
  return !(typeof call === 'object' && 'kind' in call && (call.kind === 'fulfil' || call.kind === 'reject'));
}

function methodIn(sent: unknown): string {
  const { name, method } = sent as { readonly name: string; readonly method: string };
  return `${name}.${method}`;
}

function classIn(spawned: unknown): string {
  return (spawned as { readonly class: string }).class;
}
