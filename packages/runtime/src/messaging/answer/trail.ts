// What a message with a deadline has led to: the messages that were sent while it was handled, and which of them are still to be answered. Other messages
// have no trail. A worker to which a trail leads reports back along the messages that led there, so the worker that has set the deadline knows of all of
// them. Trails are data in contexts and messages; `Trails` acts on them.

import type { Eventual } from '@turntable/core';
import type { Actor } from '../../actors/actor.ts';
import { WIRE } from '../message-kinds.ts';

/** One message, and what it has led to. */
export class Trail {
  readonly what: string;
  readonly before: Trail | undefined;
  readonly report: Report | undefined;
  /** By which the report knows it; 0 for the first one. */
  readonly number: number;
  /** Of what was sent first: its deadline, 0 if another worker has it, and whether it has been answered. */
  readonly deadline: number;
  isOver = false;
  /** What is still to be answered. */
  readonly next = new Set<Trail>();

  constructor(what: string, report?: Report, deadline = 0, before?: Trail, number = 0) {
    this.what = what;
    this.report = report;
    this.deadline = deadline;
    this.before = before;
    this.number = number;
  }

  /** Every chain of messages that nobody has answered yet, first the one that was sent first. */
  chains(): string[] {
    if (this.next.size === 0) return [this.what];
    return [...this.next].flatMap((each) => each.chains().map((chain) => `${this.what} → ${chain}`));
  }
}

/** Who is told what a trail leads to: somebody with a trail of its own, on this worker or on another one. */
export type Report = ReportedTrail | Asker;

/** A trail as somebody else tells of it, who has numbered what it leads to. */
export class ReportedTrail {
  readonly known = new Map<number, Trail>();
  count = 0;

  constructor(first: Trail) {
    this.known.set(0, first);
  }
}

/** The life of a worker that has sent a tracked call, under the number of a question. */
export class Asker {
  readonly worker: number;
  readonly life: number;
  readonly question: number;
  /** Messages it has been told of. */
  count: number;

  constructor(worker: number, life: number, question: number, count = 0) {
    this.worker = worker;
    this.life = life;
    this.question = question;
    this.count = count;
  }
}

/** In the place of a method's name: a call that was sent with a deadline, or led to by one. */
export class TrackedCall {
  readonly name: string;
  readonly trail: Trail;
  constructor(name: string, trail: Trail) {
    this.name = name;
    this.trail = trail;
  }
}

/** What is asked on a trail: who waits for it, with what. */
export interface Tracked {
  readonly eventual: Eventual;
  readonly actor: Actor;
  readonly trail: Trail;
}

interface TrailPorts {
  /** Tells another worker, unless its life has ended. */
  tell(
    worker: number,
    life: number,
    kind: number,
    before: number,
    number: number,
    question: number,
    what?: string,
  ): void;
  /** What was sent with a deadline has been answered. */
  over(deadline: number): void;
}

/** So many eventuals are kept before those that are still waited for are only known. */
const RECENT = 64;

export class Trails {
  readonly #ports: TrailPorts;
  /** Whether there ever were. */
  areAny = false;
  /** Of what was asked on the way of a message with a deadline. */
  readonly #asked = new WeakMap<Eventual, { readonly actor: Actor; readonly trail: Trail }>();
  /** The last ones that it was, answered ones among them. */
  #recent: Eventual[] = [];
  /** Earlier ones. An answer that never comes keeps nobody who waits for it. */
  #others: WeakRef<Eventual>[] = [];
  #mostOthers = RECENT;

  constructor(ports: TrailPorts) {
    this.#ports = ports;
  }

  /** A message that was sent on its way. */
  lead(before: Trail, what: string): Trail {
    const { report } = before;
    const number = report === undefined ? 0 : this.#led(report, before.number, what);
    const trail = new Trail(what, report, 0, before, number);
    before.next.add(trail);
    return trail;
  }

  /** An actor waits for what the trail leads to. */
  ask(eventual: Eventual, actor: Actor, trail: Trail): void {
    this.areAny = true;
    const isKnown = this.#asked.has(eventual);
    this.#asked.set(eventual, { actor, trail });
    if (isKnown) return;
    if (this.#recent.length >= RECENT) this.#sift();
    this.#recent.push(eventual);
  }

  #sift(): void {
    for (const eventual of this.#recent) if (this.#asked.has(eventual)) this.#others.push(new WeakRef(eventual));
    this.#recent = [];
    if (this.#others.length < this.#mostOthers) return;
    this.#others = this.#others.filter((ref) => {
      const eventual = ref.deref();
      return eventual !== undefined && this.#asked.has(eventual);
    });
    this.#mostOthers = RECENT + 2 * this.#others.length;
  }

  /** An eventual is settled. */
  answer(eventual: Eventual): void {
    const asked = this.#asked.get(eventual);
    if (asked === undefined) return;
    this.#asked.delete(eventual);
    this.end(asked.trail);
  }

  /** What is asked and not answered, in the order in which it was. */
  read(): Tracked[] {
    const others = this.#others.flatMap((ref) => ref.deref() ?? []);
    return [...others, ...this.#recent].flatMap((eventual) => {
      const asked = this.#asked.get(eventual);
      return asked === undefined ? [] : [{ eventual, ...asked }];
    });
  }

  write(tracked: readonly Tracked[]): void {
    for (const { eventual } of this.read()) this.#asked.delete(eventual);
    this.#others = [];
    this.#recent = [];
    for (const { eventual, actor, trail } of tracked) this.ask(eventual, actor, trail);
  }

  /** This message has been answered. */
  end(trail: Trail): void {
    const { before, report, number } = trail;
    // It was to be sent to what has not come to be.
    if (before === undefined) return this.#over(trail);
    if (report !== undefined) this.#ended(report, number);
    if (before.next.delete(trail) && before.deadline > 0) this.#over(before);
  }

  #over(first: Trail): void {
    if (first.isOver) return;
    first.isOver = true;
    this.#ports.over(first.deadline);
  }

  /** Somebody tells: the message that is numbered `before` has led to another one, which has a number. */
  led(reported: ReportedTrail, before: number, what: string, number: number): void {
    const trail = reported.known.get(before);
    // What leads from an answered message is nothing that anybody waits for.
    if (trail !== undefined) reported.known.set(number, this.lead(trail, what));
  }

  /** Somebody tells: that message has been answered. */
  ended(reported: ReportedTrail, number: number): void {
    const trail = reported.known.get(number);
    if (trail === undefined) return;
    reported.known.delete(number);
    this.end(trail);
  }

  #led(report: Report, before: number, what: string): number {
    const number = ++report.count;
    if (report instanceof ReportedTrail) this.led(report, before, what, number);
    else this.#ports.tell(report.worker, report.life, WIRE.led, before, number, report.question, what);
    return number;
  }

  #ended(report: Report, number: number): void {
    if (report instanceof ReportedTrail) this.ended(report, number);
    else this.#ports.tell(report.worker, report.life, WIRE.over, 0, number, report.question);
  }
}
