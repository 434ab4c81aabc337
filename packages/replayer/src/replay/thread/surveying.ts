// What a replayed thread notes of its stretches, where a survey of the recording is wanted: each begins with a turn, with an entry from native code, with the evaluation of
// the program, or with jobs of what has come, and goes on until the next one begins or the worker takes something. Everything between two of them is the
// runtime's. It changes nothing of the run, and says nothing to the program.
import { watchPrinted } from '@turntable/boundary';
import type { Loader } from '../../thread/loader.ts';
import type { TraceEvent } from '@turntable/recording';
import { sourceName } from '@turntable/recording/sources';
import {
  ALL,
  NOBODY,
  NotesWriter,
  type NotedStretch,
  type NotesEnd,
  type TextMark,
} from '@turntable/time-machine/notes';
import {
  calledName,
  type Called,
  type Exchange,
  type Halt,
  type Origin,
  type Origins,
  type Scheduler,
} from '@turntable/runtime';
import { join } from 'node:path';
import { types } from 'node:util';
import type { Clock } from '../../trace/timeline.ts';
import { Happenings, lineOf } from './happenings.ts';
import type { SurveyWishes } from '../replay-order.ts';
import type { WatchedThread } from './thread-watch.ts';
import type { Begun, BegunTurn, StretchWatcher } from './stretches.ts';
import { methodIn, type Places } from '../turn-notes.ts';

const MAIN = 'the main program';
/** Messages that wait at the end. */
const MOST_LEFT = 100_000;
/** Errors that nobody catches, and what is printed, are noted in any mode. */
const NOTED = ['exception', 'rejection', 'device', 'request', 'response'] as const satisfies readonly TextMark[];

export class Surveying implements StretchWatcher {
  readonly #thread: WatchedThread;
  readonly #notes: NotesWriter;
  readonly #clock: Clock;
  readonly #main: string;
  #origins: Origins | undefined;
  #scheduler: Scheduler | undefined;
  #loader: Places | undefined;
  /** Events that were taken. */
  #events = 0;
  /** Stretches that have begun. */
  #count = 0;
  #open: NotedStretch | undefined;
  /** Messages to actors of this worker when it began, and to other workers since. */
  #sentBefore = 0;
  #sentAway = 0;
  /** By worker: what was noted last. */
  readonly #noted: { life: number; sent: number; taken: number }[] = [];
  #isOver = false;
  /** Of code in debug mode. */
  #happenings: Happenings | undefined;
  /** What has happened in the stretch, each once. */
  readonly #happened = new Set<string>();
  readonly #places = new WeakMap<object, Map<string, string>>();

  constructor({ directory }: Pick<SurveyWishes, 'directory'>, thread: WatchedThread, clock: Clock) {
    this.#thread = thread;
    this.#clock = clock;
    const { worker, life } = thread;
    this.#main = worker === 0 ? MAIN : `worker ${worker}`;
    this.#notes = new NotesWriter(join(directory, `${worker}.${life}.tsv`), thread);
    watchPrinted((descriptor, bytes, text) => {
      this.#learn();
      if (!this.#isOver) this.#notes.printed(descriptor === 1 ? 'stdout' : 'stderr', bytes, () => lineOf(text()));
    });
  }

  starts(loader: Loader): void {
    if (loader.statements === undefined) return;
    this.#happenings = new Happenings(NOTED, {
      isHeard: () => this.#open !== undefined,
      tell: (kind, text, request) => this.#happens(kind as TextMark, text, request),
    });
    this.#happenings.starts(loader);
  }

  /** Of two requests each is something else, though they say the same. */
  #happens(kind: TextMark, text: string, request = 0): void {
    if (this.#isOver || this.#open === undefined) return;
    const its = `${kind} ${request} ${text}`;
    if (this.#happened.has(its)) return;
    this.#happened.add(its);
    this.#notes.text(kind, text, request);
  }

  takes(event: TraceEvent): void {
    this.#events++;
    this.#happenings?.takes(event);
    if (event.what === 'outcome') this.#learn();
    this.#clock.now = this.#clock.read(event) ?? this.#clock.now;
    if (event.what !== 'messages' && event.what !== 'happened') return;
    if (this.#isOver) return;
    this.#between();
    this.#origins?.rests();
    if (event.what === 'happened' && event.kind === 'lost') this.#loses(event.key);
  }

  /** A life of a worker has ended: whatever it has done is before what comes now. */
  #loses(key: string): void {
    const [worker, life] = key.split(' ').map(Number);
    if (worker !== undefined && life !== undefined) this.#notes.took(worker, life, ALL);
  }

  begins({ kind, entry, turn }: Begun): void {
    if (this.#isOver) return;
    if (turn !== undefined) return this.#beginsTurn(kind, turn);
    this.#begin({ kind, ...(entry && { method: sourceName(entry.source), number: entry.id }) });
  }

  #beginsTurn(kind: NotedStretch['kind'], { turn, actor, call, on }: BegunTurn): void {
    const method = kind === 'call' ? calledName(call) : '';
    const place = on === undefined ? '' : this.#placeOf(on, method);
    this.#begin({ kind, method, place, actor: actor.name }, turn, this.#origins?.next(actor));
  }

  /** Nobody catches it. @param actor whose turn it is, if it is one */
  fails(error: string): void {
    if (!this.#isOver) this.#notes.error(error);
  }

  halts({ why, events, turns }: Pick<Halt, 'why' | 'events' | 'turns'>): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#noteLeft();
    this.#notes.end(why satisfies NotesEnd, events, turns);
  }

  /** What waits in mailboxes, and comes to no turn. Answers are no messages to anybody. */
  #noteLeft(): void {
    let count = 0;
    for (const [actor, entries] of this.#scheduler?.mailboxes() ?? []) {
      const origins = this.#origins?.waitingFor(actor) ?? [];
      for (const [i, entry] of entries.entries()) {
        if (entry.what !== 'told' && entry.what !== 'sent') continue;
        if (count++ >= MOST_LEFT) return;
        // Of a mailbox that has known other times it is not known which is whose.
        const origin = origins.length === entries.length ? origins[i] : undefined;
        this.#notes.left({
          actor: actor.name,
          what: calledName(entry.call as Called),
          sender: origin === undefined || origin.worker < 0 ? NOBODY : origin.worker,
          senderLife: origin?.life ?? 0,
          number: origin?.number ?? 0,
        });
      }
    }
  }

  /** The process is about to end. */
  leaves(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#notes.flush();
  }

  /** This thread's scheduler is there. */
  follows(scheduler: Scheduler, places: Places): void {
    this.#scheduler = scheduler;
    this.#loader = places;
    this.#happenings?.follows(scheduler);
    const { worker, life } = this.#thread;
    this.#origins = scheduler.traceOrigins(() => {
      this.#learn();
      return this.#open === undefined ? undefined : { worker, life, number: this.#count };
    });
  }

  cut(phase: number, isBare: boolean): void {
    if (this.#isOver) return;
    this.#between();
    if (isBare) this.#notes.phase(phase);
    else this.#notes.mark('cut', phase);
  }

  takesFrom(worker: number): void {
    this.#origins?.takes(worker);
  }

  /** Who native code calls is seen when that does something: asks, sends, prints. */
  #learn(): void {
    const open = this.#open;
    if (open?.kind === 'entry' && open.actor === this.#main && this.#scheduler !== undefined)
      open.actor = this.#scheduler.program.currentActor().name;
  }

  #placeOf(on: object, method: string): string {
    const prototype: unknown = types.isProxy(on) ? null : Object.getPrototypeOf(on);
    if (typeof prototype !== 'object' || prototype === null) return '';
    let known = this.#places.get(prototype);
    if (known === undefined) this.#places.set(prototype, (known = new Map<string, string>()));
    let place = known.get(method);
    if (place === undefined) known.set(method, (place = this.#placeIn(prototype, method)));
    return place;
  }

  #placeIn(prototype: object, method: string): string {
    return (this.#loader && methodIn(prototype, method, this.#loader).place) ?? '';
  }

  #begin(
    its: Pick<NotedStretch, 'kind'> & Partial<NotedStretch>,
    turn = this.#scheduler?.turns ?? 0,
    origin?: Origin,
  ): void {
    this.#between();
    this.#noteTaken();
    this.#origins?.rests();
    this.#count++;
    this.#happened.clear();
    this.#happenings?.begins(undefined);
    this.#sentBefore = this.#origins?.sent ?? 0;
    this.#sentAway = 0;
    this.#open = {
      method: '',
      place: '',
      actor: this.#main,
      number: origin?.number ?? 0,
      sender: origin === undefined || origin.worker < 0 ? NOBODY : origin.worker,
      senderLife: origin?.life ?? 0,
      turn,
      event: this.#events + 1,
      time: this.#clock.now,
      ...its,
    };
  }

  ends(lists: number): void {
    const open = this.#open;
    if (open === undefined || this.#isOver) return;
    this.#open = undefined;
    this.#noteSent();
    this.#notes.stretch(open, lists, (this.#origins?.sent ?? 0) - this.#sentBefore + this.#sentAway);
  }

  /** What the runtime has sent since, and what had come until then: before anything more comes. */
  #between(): void {
    const exchanges = this.#origins?.exchanges() ?? [];
    if (!exchanges.some((exchange) => exchange.sent !== this.#notedOf(exchange).sent)) return;
    this.#noteTaken(exchanges);
    this.#noteSent(exchanges);
    this.#notes.between();
  }

  #noteTaken(exchanges = this.#origins?.exchanges() ?? []): void {
    for (const exchange of exchanges) {
      const noted = this.#notedOf(exchange);
      if (exchange.taken === noted.taken) continue;
      noted.taken = exchange.taken;
      this.#notes.took(exchange.worker, exchange.life, exchange.taken);
    }
  }

  #noteSent(exchanges = this.#origins?.exchanges() ?? []): void {
    for (const exchange of exchanges) {
      const noted = this.#notedOf(exchange);
      if (exchange.sent === noted.sent) continue;
      this.#sentAway += exchange.sent - noted.sent;
      noted.sent = exchange.sent;
      this.#notes.sent(exchange.worker, exchange.life, exchange.sent);
    }
  }

  #notedOf({ worker, life }: Exchange): { life: number; sent: number; taken: number } {
    const noted = this.#noted[worker];
    if (noted?.life === life) return noted;
    return (this.#noted[worker] = { life, sent: 0, taken: 0 });
  }
}
