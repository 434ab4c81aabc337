/*
 * What actors do, as far as a snapshot could get it wrong: turns, messages, objects that are lent, eventuals that are passed on, births and ends.
 * Nothing here knows of snapshots, but for `Around.touch`, the choke point before a change of an actor that is not about to have a turn.
 */
import {
  isPointer,
  isReference,
  keyOf,
  workerOf,
  type Actor,
  type ActorId,
  type Message,
  type ObjectId,
  type Pointer,
  type Reaction,
  type Reference,
  type Settles,
  type State,
  type Thing,
  type Value,
  type Waiting,
  type WireValue,
} from './model.ts';

/** Where what a worker does leads out of it. */
export interface Around {
  readonly methods: Methods;
  /** What is still to be done in this turn. */
  readonly jobs: (() => void)[];
  send(worker: number, message: Message): void;
  /** An actor is about to change, and has no turn. */
  touch(actor: ActorId): void;
  /** A reference is about to lead to nothing. */
  release(reference: Reference): void;
  /** An actor is here that was not. */
  made(actor: ActorId): void;
  /** The main thread starts all workers there are to be. */
  start(): number[];
}

/** What an actor does with a message. What it answers settles the eventual of who has asked. */
export type Method = (turn: Turn, ...args: Value[]) => Value | void;
export type Methods = Readonly<Record<string, Method>>;

/** What the code of a turn can do. */
export class Turn {
  readonly #state: State;
  readonly #around: Around;
  readonly me: ActorId;
  /** The object that the message was sent to. */
  readonly self: Pointer;

  constructor(state: State, around: Around, me: ActorId, self: Pointer) {
    this.#state = state;
    this.#around = around;
    this.me = me;
    this.self = self;
  }

  get(cell: string, of: Value = this.self): Value {
    return thingAt(this.#state, of as Pointer).cells[cell] ?? null;
  }

  set(cell: string, value: Value, of: Value = this.self): void {
    thingAt(this.#state, of as Pointer).cells[cell] = value;
  }

  /** Counts a number up. */
  add(cell: string, of: Value = this.self): number {
    const sum = ((this.get(cell, of) as number | null) ?? 0) + 1;
    this.set(cell, sum, of);
    return sum;
  }

  /** Counts module state up, which all actors of the worker share. */
  count(): number {
    return ++this.#state.module;
  }

  object(cells: Record<string, Value>): Pointer {
    return create(this.#state, { owner: this.me, cells });
  }

  eventual(): Pointer {
    return createEventual(this.#state, this.me);
  }

  lend(object: Pointer): Reference {
    const known = Object.entries(this.#state.lent).find(([, at]) => at === object.at);
    if (known !== undefined) return { ref: this.me, number: Number(known[0].slice(this.me.length + 1)) };
    const reference = { ref: this.me, number: ++actorAt(this.#state, this.me).lent };
    this.#state.lent[keyOf(reference)] = object.at;
    return reference;
  }

  /** Takes a reference back: what is sent to it from now on reaches nothing. */
  release(reference: Value): void {
    this.#around.release(reference as Reference);
    delete this.#state.lent[keyOf(reference as Reference)];
  }

  tell(to: Value, method: string, ...args: Value[]): void {
    send(this.#state, this.#around, this.me, to as Reference, method, args, null);
  }

  ask(to: Value, method: string, ...args: Value[]): Pointer {
    const answer = this.eventual();
    send(this.#state, this.#around, this.me, to as Reference, method, args, answer);
    return answer;
  }

  /** Tells what an eventual will be. */
  tellLater(eventual: Value, method: string, ...args: Value[]): void {
    react(this.#state, this.#around, eventual as Pointer, { does: 'send', method, args });
  }

  /** Goes on with a method of the actor's own, and with what nothing else may lead to. */
  then(eventual: Value, method: string, ...kept: Value[]): void {
    react(this.#state, this.#around, eventual as Pointer, { does: 'method', method, kept });
  }

  settle(eventual: Value, outcome: Value): void {
    settle(this.#state, this.#around, eventual as Pointer, outcome);
  }

  spawn(actor: ActorId, cells: Record<string, Value> = {}): Reference {
    const worker = workerOf(actor);
    if (worker === this.#state.here) {
      announce(this.#state, this.#around, actor);
      enqueue(this.#state, this.#around, { to: actor, what: 'begin', cells });
    } else {
      const passed = Object.entries(cells).map(([cell, value]) => [
        cell,
        wired(this.#state, this.#around, worker, value),
      ]);
      this.#around.send(worker, { what: 'spawn', to: actor, cells: Object.fromEntries(passed) });
    }
    return { ref: actor, number: 0 };
  }

  stop(actor: Value): void {
    const to = (actor as Reference).ref;
    if (workerOf(to) === this.#state.here) enqueue(this.#state, this.#around, { to, what: 'stop' });
    else this.#around.send(workerOf(to), { what: 'stop', to });
  }

  /** An eventual that is settled when an actor has ended. */
  whenBroken(actor: Value): Pointer {
    const to = (actor as Reference).ref;
    const settles = this.eventual();
    if (workerOf(to) === this.#state.here) watch(this.#state, this.#around, to, settles);
    else {
      const question = ask(this.#state, this.#around, workerOf(to), settles);
      if (question !== undefined) this.#around.send(workerOf(to), { what: 'watch', to, question });
    }
    return settles;
  }

  startWorkers(): void {
    this.#state.neighbours.push(...this.#around.start());
  }
}

/** Handles the first message that waits, to the end of all that comes of it at once. */
export function runTurn(state: State, around: Around): void {
  handle(state, around, state.queue.shift() as Waiting);
  for (let job = around.jobs.shift(); job !== undefined; job = around.jobs.shift()) job();
}

function handle(state: State, around: Around, message: Waiting): void {
  const actor = actorAt(state, message.to);
  switch (message.what) {
    case 'begin':
      actor.root = create(state, { owner: message.to, cells: { ...message.cells } }).at;
      actor.stage = 'alive';
      return;
    case 'stop': {
      const { watchers } = actor;
      actor.stage = 'stopped';
      actor.watchers = [];
      for (const each of watchers) answer(state, around, message.to, each, 'ended');
      return;
    }
    case 'settle':
      return settle(state, around, message.eventual, message.outcome);
    case 'call': {
      if (actor.stage === 'stopped') return answer(state, around, message.to, message.settles, 'ended');
      const at = message.target.number === 0 ? actor.root : state.lent[keyOf(message.target)];
      if (at === undefined || at === null) return answer(state, around, message.to, message.settles, 'released');
      const method = around.methods[message.method] as Method;
      const value = method(new Turn(state, around, message.to, { at }), ...message.args);
      return answer(state, around, message.to, message.settles, value ?? null);
    }
  }
}

/** What has come from another worker takes effect. */
export function take(state: State, around: Around, from: number, message: Message): void {
  switch (message.what) {
    case 'call': {
      const { target, method, question } = message;
      const to = target.ref;
      if (state.actors[to] === undefined) expect(state, around, to);
      const args = message.args.map((value) => unwired(state, from, to, value));
      const settles = question === null ? null : { worker: from, question };
      return enqueue(state, around, { to, what: 'call', target, method, args, settles });
    }
    case 'answer':
      return waitedFor(state, around, state.asked, `${from}.${message.question}`, message.outcome, from);
    case 'outcome':
      return waitedFor(state, around, state.passed, `${from}.${message.number}`, message.outcome, from);
    case 'spawn': {
      const early = announce(state, around, message.to);
      give(state, { ref: message.to, number: 0 });
      const cells = Object.entries(message.cells).map(([cell, value]) => [
        cell,
        unwired(state, from, message.to, value),
      ]);
      enqueue(state, around, { to: message.to, what: 'begin', cells: Object.fromEntries(cells) });
      for (const each of early) enqueue(state, around, each);
      return;
    }
    case 'stop':
      return enqueue(state, around, { to: message.to, what: 'stop' });
    case 'watch':
      return watch(state, around, message.to, { worker: from, question: message.question });
  }
}

/** Another worker has ended, and all that it had sent has been taken: nobody need wait for it. */
export function lose(state: State, around: Around, worker: number): void {
  state.neighbours = state.neighbours.filter((each) => each !== worker);
  state.gone.push(worker);
  for (const table of [state.asked, state.passed])
    for (const key of Object.keys(table))
      if (key.startsWith(`${worker}.`)) waitedFor(state, around, table, key, 'lost', worker);
}

// ── Actors ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Its creator has said so; answers what was early. */
function announce(state: State, around: Around, actor: ActorId): Waiting[] {
  if (state.actors[actor] === undefined) expect(state, around, actor);
  const known = actorAt(state, actor);
  const { early } = known;
  known.stage = 'coming';
  known.early = [];
  return early;
}

function expect(state: State, around: Around, actor: ActorId): void {
  state.actors[actor] = { stage: 'expected', root: null, lent: 0, watchers: [], early: [] };
  around.made(actor);
}

function enqueue(state: State, around: Around, message: Waiting): void {
  if (state.actors[message.to] === undefined) expect(state, around, message.to);
  const actor = actorAt(state, message.to);
  if (actor.stage === 'expected') actor.early.push(message);
  else state.queue.push(message);
}

function watch(state: State, around: Around, to: ActorId, settles: Settles): void {
  around.touch(to);
  const actor = actorAt(state, to);
  if (actor.stage === 'stopped') answer(state, around, to, settles, 'ended');
  else actor.watchers.push(settles);
}

function actorAt(state: State, actor: ActorId): Actor {
  return state.actors[actor] as Actor;
}

function thingAt(state: State, { at }: Pointer): Thing {
  return state.objects[at] as Thing;
}

function create(state: State, thing: Thing): Pointer {
  const at = ++state.created;
  state.objects[at] = thing;
  return { at };
}

function createEventual(state: State, owner: ActorId): Pointer {
  return create(state, { owner, cells: {}, eventual: { outcome: undefined, reactions: [] } });
}

// ── Messages ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

function send(
  state: State,
  around: Around,
  from: ActorId,
  target: Reference,
  method: string,
  args: readonly Value[],
  settles: Pointer | null,
): void {
  const to = target.ref;
  const worker = workerOf(to);
  if (worker === state.here) {
    const passed = args.map((value) => handed(state, around, from, to, value));
    return enqueue(state, around, { to, what: 'call', target, method, args: passed, settles });
  }
  const question = settles === null ? null : ask(state, around, worker, settles);
  if (question === undefined) return;
  const passed = args.map((value) => wired(state, around, worker, value));
  around.send(worker, { what: 'call', target, method, args: passed, question });
}

/** The number of a question, if there is anybody to answer it. */
function ask(state: State, around: Around, worker: number, settles: Pointer): number | undefined {
  const question = ++state.questions;
  const key = `${worker}.${question}`;
  state.asked[key] = settles.at;
  if (!state.gone.includes(worker)) return question;
  waitedFor(state, around, state.asked, key, 'lost', worker);
  return undefined;
}

/** Another worker has said what something has become that somebody here waits for. */
function waitedFor(
  state: State,
  around: Around,
  table: Record<string, ObjectId>,
  key: string,
  outcome: WireValue,
  from: number,
): void {
  const at = table[key];
  if (at === undefined) throw new Error(`nobody on worker ${state.here} waits for ${key} of worker ${from}`);
  delete table[key];
  const to = thingAt(state, { at }).owner;
  enqueue(state, around, { to, what: 'settle', eventual: { at }, outcome: unwired(state, from, to, outcome) });
}

/** What was asked is answered: at once, or when there is an answer. */
function answer(state: State, around: Around, from: ActorId, settles: Settles | null, value: Value): void {
  if (settles === null) return;
  if (isPointer(value)) return react(state, around, value, { does: 'answer', settles });
  if (isPointer(settles)) {
    const to = thingAt(state, settles).owner;
    enqueue(state, around, { to, what: 'settle', eventual: settles, outcome: handed(state, around, from, to, value) });
  } else {
    const outcome = wired(state, around, settles.worker, value);
    around.send(settles.worker, { what: 'answer', question: settles.question, outcome });
  }
}

// ── Eventuals ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

function settle(state: State, around: Around, eventual: Pointer, outcome: Value): void {
  const settled = thingAt(state, eventual).eventual;
  if (settled === undefined) throw new Error(`${eventual.at} on worker ${state.here} is no eventual`);
  if (settled.outcome !== undefined) return;
  const { reactions } = settled;
  settled.outcome = outcome;
  settled.reactions = [];
  for (const each of reactions) around.jobs.push(() => act(state, around, eventual, each, outcome));
}

function react(state: State, around: Around, eventual: Pointer, reaction: Reaction): void {
  const { eventual: of } = thingAt(state, eventual);
  if (of === undefined) throw new Error(`${eventual.at} on worker ${state.here} is no eventual`);
  if (of.outcome === undefined) of.reactions.push(reaction);
  else {
    const { outcome } = of;
    around.jobs.push(() => act(state, around, eventual, reaction, outcome));
  }
}

function act(state: State, around: Around, eventual: Pointer, reaction: Reaction, outcome: Value): void {
  const { owner } = thingAt(state, eventual);
  switch (reaction.does) {
    case 'method': {
      const root = { at: actorAt(state, owner).root as ObjectId };
      (around.methods[reaction.method] as Method)(new Turn(state, around, owner, root), outcome, ...reaction.kept);
      return;
    }
    case 'answer':
      return answer(state, around, owner, reaction.settles, outcome);
    case 'tell': {
      const { worker, number } = reaction;
      return around.send(worker, { what: 'outcome', number, outcome: wired(state, around, worker, outcome) });
    }
    case 'send':
      return send(state, around, owner, outcome as Reference, reaction.method, reaction.args, null);
  }
}

// ── Passing ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A value for another actor of this worker: of an eventual it has one of its own. */
function handed(state: State, around: Around, from: ActorId, to: ActorId, value: Value): Value {
  if (!isPointer(value) || from === to) return value;
  const theirs = createEventual(state, to);
  react(state, around, value, { does: 'answer', settles: theirs });
  return theirs;
}

/** A value for another worker. */
function wired(state: State, around: Around, worker: number, value: Value): WireValue {
  if (isReference(value)) {
    if (workerOf(value.ref) === state.here) give(state, value);
    return value;
  }
  if (!isPointer(value)) return value;
  const number = ++state.passings;
  react(state, around, value, { does: 'tell', worker, number });
  return { eventual: number };
}

function unwired(state: State, from: number, to: ActorId, value: WireValue): Value {
  if (typeof value !== 'object' || value === null || isReference(value)) return value;
  const eventual = createEventual(state, to);
  state.passed[`${from}.${value.eventual}`] = eventual.at;
  return eventual;
}

function give(state: State, reference: Reference): void {
  if (!state.given.some((each) => keyOf(each) === keyOf(reference))) state.given.push(reference);
}
