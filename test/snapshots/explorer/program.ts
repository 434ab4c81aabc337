// Behaviour of actors that a snapshot could get wrong: turns, messages, lent objects, passed eventuals, births
// and ends. Nothing here knows about snapshots except `WorkerEffects.touch`, the choke point before a change of an
// actor that is not about to run a turn.
import {
  isPointer,
  isReference,
  keyOf,
  workerOf,
  type ModelActor,
  type ActorId,
  type Message,
  type ObjectId,
  type Pointer,
  type ModelReaction,
  type ModelReference,
  type AnswerTarget,
  type ModelState,
  type ModelObject,
  type ModelValue,
  type QueuedItem,
  type WireValue,
} from './model.ts';

/** Effects of a turn beyond the state of its worker. */
export interface WorkerEffects {
  readonly methods: Methods;
  /** Jobs left to run in this turn. */
  readonly jobs: (() => void)[];
  send(worker: number, message: Message): void;
  /** Reports that an actor is about to change outside of a turn of that actor. */
  touch(actor: ActorId): void;
  /** Reports that a reference is about to become invalid. */
  release(reference: ModelReference): void;
  /** Reports that an actor has come into existence on this worker. */
  made(actor: ActorId): void;
  /** Starts all remaining workers; called on the main thread. */
  start(): number[];
}

/** Handler of a message. Its result settles the caller's eventual. */
export type Method = (turn: Turn, ...args: ModelValue[]) => ModelValue | void;
export type Methods = Readonly<Record<string, Method>>;

/** Operations available to the code of a turn. */
export class Turn {
  readonly #state: ModelState;
  readonly #effects: WorkerEffects;
  readonly me: ActorId;
  /** The object that the message was sent to. */
  readonly self: Pointer;

  constructor(state: ModelState, effects: WorkerEffects, me: ActorId, self: Pointer) {
    this.#state = state;
    this.#effects = effects;
    this.me = me;
    this.self = self;
  }

  get(cell: string, of: ModelValue = this.self): ModelValue {
    return objectAt(this.#state, of as Pointer).cells[cell] ?? null;
  }

  set(cell: string, value: ModelValue, of: ModelValue = this.self): void {
    objectAt(this.#state, of as Pointer).cells[cell] = value;
  }

  /** Increments a cell. */
  add(cell: string, of: ModelValue = this.self): number {
    const sum = ((this.get(cell, of) as number | null) ?? 0) + 1;
    this.set(cell, sum, of);
    return sum;
  }

  /** Increments module state, which all actors of the worker share. */
  count(): number {
    return ++this.#state.module;
  }

  object(cells: Record<string, ModelValue>): Pointer {
    return create(this.#state, { owner: this.me, cells });
  }

  eventual(): Pointer {
    return createEventual(this.#state, this.me);
  }

  lend(object: Pointer): ModelReference {
    const known = Object.entries(this.#state.lent).find(([, at]) => at === object.at);
    if (known !== undefined) return { ref: this.me, number: Number(known[0].slice(this.me.length + 1)) };
    const reference = { ref: this.me, number: ++actorAt(this.#state, this.me).lent };
    this.#state.lent[keyOf(reference)] = object.at;
    return reference;
  }

  /** Releases a lent object: messages sent to the reference from now on reach nothing. */
  release(reference: ModelValue): void {
    this.#effects.release(reference as ModelReference);
    delete this.#state.lent[keyOf(reference as ModelReference)];
  }

  tell(to: ModelValue, method: string, ...args: ModelValue[]): void {
    send(this.#state, this.#effects, this.me, to as ModelReference, method, args, null);
  }

  ask(to: ModelValue, method: string, ...args: ModelValue[]): Pointer {
    const answer = this.eventual();
    send(this.#state, this.#effects, this.me, to as ModelReference, method, args, answer);
    return answer;
  }

  /** Sends a message to the future outcome of an eventual. */
  tellLater(eventual: ModelValue, method: string, ...args: ModelValue[]): void {
    react(this.#state, this.#effects, eventual as Pointer, { kind: 'send', method, args });
  }

  /** Resumes with a method of the same actor. `kept` may be reachable from nowhere else. */
  then(eventual: ModelValue, method: string, ...kept: ModelValue[]): void {
    react(this.#state, this.#effects, eventual as Pointer, { kind: 'method', method, kept });
  }

  settle(eventual: ModelValue, outcome: ModelValue): void {
    settle(this.#state, this.#effects, eventual as Pointer, outcome);
  }

  spawn(actor: ActorId, cells: Record<string, ModelValue> = {}): ModelReference {
    const worker = workerOf(actor);
    if (worker === this.#state.worker) {
      announce(this.#state, this.#effects, actor);
      enqueue(this.#state, this.#effects, { to: actor, kind: 'begin', cells });
    } else {
      const passed = Object.entries(cells).map(([cell, value]) => [
        cell,
        toWire(this.#state, this.#effects, worker, value),
      ]);
      this.#effects.send(worker, { kind: 'spawn', to: actor, cells: Object.fromEntries(passed) });
    }
    return { ref: actor, number: 0 };
  }

  stop(actor: ModelValue): void {
    const to = (actor as ModelReference).ref;
    if (workerOf(to) === this.#state.worker) enqueue(this.#state, this.#effects, { to, kind: 'stop' });
    else this.#effects.send(workerOf(to), { kind: 'stop', to });
  }

  /** Returns an eventual that is settled when the actor has ended. */
  whenBroken(actor: ModelValue): Pointer {
    const to = (actor as ModelReference).ref;
    const replyTo = this.eventual();
    if (workerOf(to) === this.#state.worker) watch(this.#state, this.#effects, to, replyTo);
    else {
      const question = ask(this.#state, this.#effects, workerOf(to), replyTo);
      if (question !== undefined) this.#effects.send(workerOf(to), { kind: 'watch', to, question });
    }
    return replyTo;
  }

  startWorkers(): void {
    this.#state.workerLinks.push(...this.#effects.start());
  }
}

/** Handles the first queued message and all jobs that follow from it. */
export function runTurn(state: ModelState, effects: WorkerEffects): void {
  handle(state, effects, state.queue.shift() as QueuedItem);
  for (let job = effects.jobs.shift(); job !== undefined; job = effects.jobs.shift()) job();
}

function handle(state: ModelState, effects: WorkerEffects, message: QueuedItem): void {
  const actor = actorAt(state, message.to);
  switch (message.kind) {
    case 'begin':
      actor.root = create(state, { owner: message.to, cells: { ...message.cells } }).at;
      actor.stage = 'alive';
      return;
    case 'stop': {
      const { watchers } = actor;
      actor.stage = 'stopped';
      actor.watchers = [];
      for (const each of watchers) answer(state, effects, message.to, each, 'ended');
      return;
    }
    case 'settle':
      return settle(state, effects, message.eventual, message.outcome);
    case 'call': {
      if (actor.stage === 'stopped') return answer(state, effects, message.to, message.replyTo, 'ended');
      const at = message.target.number === 0 ? actor.root : state.lent[keyOf(message.target)];
      if (at === undefined || at === null) return answer(state, effects, message.to, message.replyTo, 'released');
      const method = effects.methods[message.method] as Method;
      const value = method(new Turn(state, effects, message.to, { at }), ...message.args);
      return answer(state, effects, message.to, message.replyTo, value ?? null);
    }
  }
}

/** Applies a message of another worker. */
export function take(state: ModelState, effects: WorkerEffects, from: number, message: Message): void {
  switch (message.kind) {
    case 'call': {
      const { target, method, question } = message;
      const to = target.ref;
      if (state.actors[to] === undefined) expect(state, effects, to);
      const args = message.args.map((value) => fromWire(state, from, to, value));
      const replyTo = question === null ? null : { worker: from, question };
      return enqueue(state, effects, { to, kind: 'call', target, method, args, replyTo });
    }
    case 'answer':
      return settleWaiter(state, effects, state.asked, `${from}.${message.question}`, message.outcome, from);
    case 'outcome':
      return settleWaiter(state, effects, state.passed, `${from}.${message.number}`, message.outcome, from);
    case 'spawn': {
      const early = announce(state, effects, message.to);
      give(state, { ref: message.to, number: 0 });
      const cells = Object.entries(message.cells).map(([cell, value]) => [
        cell,
        fromWire(state, from, message.to, value),
      ]);
      enqueue(state, effects, { to: message.to, kind: 'begin', cells: Object.fromEntries(cells) });
      for (const each of early) enqueue(state, effects, each);
      return;
    }
    case 'stop':
      return enqueue(state, effects, { to: message.to, kind: 'stop' });
    case 'watch':
      return watch(state, effects, message.to, { worker: from, question: message.question });
  }
}

/** Settles everything that waits for a worker that has ended. All its messages have been taken. */
export function lose(state: ModelState, effects: WorkerEffects, worker: number): void {
  state.workerLinks = state.workerLinks.filter((each) => each !== worker);
  state.gone.push(worker);
  for (const table of [state.asked, state.passed])
    for (const key of Object.keys(table))
      if (key.startsWith(`${worker}.`)) settleWaiter(state, effects, table, key, 'lost', worker);
}

// ── Actors
// ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Registers an actor that its creator has spawned. Returns the messages that arrived before. */
function announce(state: ModelState, effects: WorkerEffects, actor: ActorId): QueuedItem[] {
  if (state.actors[actor] === undefined) expect(state, effects, actor);
  const known = actorAt(state, actor);
  const { early } = known;
  known.stage = 'coming';
  known.early = [];
  return early;
}

function expect(state: ModelState, effects: WorkerEffects, actor: ActorId): void {
  state.actors[actor] = { stage: 'expected', root: null, lent: 0, watchers: [], early: [] };
  effects.made(actor);
}

function enqueue(state: ModelState, effects: WorkerEffects, message: QueuedItem): void {
  if (state.actors[message.to] === undefined) expect(state, effects, message.to);
  const actor = actorAt(state, message.to);
  if (actor.stage === 'expected') actor.early.push(message);
  else state.queue.push(message);
}

function watch(state: ModelState, effects: WorkerEffects, to: ActorId, replyTo: AnswerTarget): void {
  effects.touch(to);
  const actor = actorAt(state, to);
  if (actor.stage === 'stopped') answer(state, effects, to, replyTo, 'ended');
  else actor.watchers.push(replyTo);
}

function actorAt(state: ModelState, actor: ActorId): ModelActor {
  return state.actors[actor] as ModelActor;
}

function objectAt(state: ModelState, { at }: Pointer): ModelObject {
  return state.objects[at] as ModelObject;
}

function create(state: ModelState, object: ModelObject): Pointer {
  const at = ++state.created;
  state.objects[at] = object;
  return { at };
}

function createEventual(state: ModelState, owner: ActorId): Pointer {
  return create(state, { owner, cells: {}, eventual: { outcome: undefined, reactions: [] } });
}

// ── Messages
// ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

function send(
  state: ModelState,
  effects: WorkerEffects,
  from: ActorId,
  target: ModelReference,
  method: string,
  args: readonly ModelValue[],
  replyTo: Pointer | null,
): void {
  const to = target.ref;
  const worker = workerOf(to);
  if (worker === state.worker) {
    const passed = args.map((value) => withOwnEventual(state, effects, from, to, value));
    return enqueue(state, effects, { to, kind: 'call', target, method, args: passed, replyTo });
  }
  const question = replyTo === null ? null : ask(state, effects, worker, replyTo);
  if (question === undefined) return;
  const passed = args.map((value) => toWire(state, effects, worker, value));
  effects.send(worker, { kind: 'call', target, method, args: passed, question });
}

/** Registers a question. Returns undefined if the worker that would answer it has ended. */
function ask(state: ModelState, effects: WorkerEffects, worker: number, replyTo: Pointer): number | undefined {
  const question = ++state.questions;
  const key = `${worker}.${question}`;
  state.asked[key] = replyTo.at;
  if (!state.gone.includes(worker)) return question;
  settleWaiter(state, effects, state.asked, key, 'lost', worker);
  return undefined;
}

/** Settles a local eventual that waits for another worker. */
function settleWaiter(
  state: ModelState,
  effects: WorkerEffects,
  table: Record<string, ObjectId>,
  key: string,
  outcome: WireValue,
  from: number,
): void {
  const at = table[key];
  if (at === undefined) throw new Error(`nothing on worker ${state.worker} waits for ${key} of worker ${from}`);
  delete table[key];
  const to = objectAt(state, { at }).owner;
  enqueue(state, effects, { to, kind: 'settle', eventual: { at }, outcome: fromWire(state, from, to, outcome) });
}

/** Answers a call at once, or when its result is settled. */
function answer(
  state: ModelState,
  effects: WorkerEffects,
  from: ActorId,
  replyTo: AnswerTarget | null,
  value: ModelValue,
): void {
  if (replyTo === null) return;
  if (isPointer(value)) return react(state, effects, value, { kind: 'answer', replyTo });
  if (isPointer(replyTo)) {
    const to = objectAt(state, replyTo).owner;
    enqueue(state, effects, {
      to,
      kind: 'settle',
      eventual: replyTo,
      outcome: withOwnEventual(state, effects, from, to, value),
    });
  } else {
    const outcome = toWire(state, effects, replyTo.worker, value);
    effects.send(replyTo.worker, { kind: 'answer', question: replyTo.question, outcome });
  }
}

// ── Eventuals
// ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

function settle(state: ModelState, effects: WorkerEffects, eventual: Pointer, outcome: ModelValue): void {
  const settled = objectAt(state, eventual).eventual;
  if (settled === undefined) throw new Error(`${eventual.at} on worker ${state.worker} is not an eventual`);
  if (settled.outcome !== undefined) return;
  const { reactions } = settled;
  settled.outcome = outcome;
  settled.reactions = [];
  for (const each of reactions) effects.jobs.push(() => act(state, effects, eventual, each, outcome));
}

function react(state: ModelState, effects: WorkerEffects, eventual: Pointer, reaction: ModelReaction): void {
  const { eventual: of } = objectAt(state, eventual);
  if (of === undefined) throw new Error(`${eventual.at} on worker ${state.worker} is not an eventual`);
  if (of.outcome === undefined) of.reactions.push(reaction);
  else {
    const { outcome } = of;
    effects.jobs.push(() => act(state, effects, eventual, reaction, outcome));
  }
}

function act(
  state: ModelState,
  effects: WorkerEffects,
  eventual: Pointer,
  reaction: ModelReaction,
  outcome: ModelValue,
): void {
  const { owner } = objectAt(state, eventual);
  switch (reaction.kind) {
    case 'method': {
      const root = { at: actorAt(state, owner).root as ObjectId };
      (effects.methods[reaction.method] as Method)(new Turn(state, effects, owner, root), outcome, ...reaction.kept);
      return;
    }
    case 'answer':
      return answer(state, effects, owner, reaction.replyTo, outcome);
    case 'tell': {
      const { worker, number } = reaction;
      return effects.send(worker, { kind: 'outcome', number, outcome: toWire(state, effects, worker, outcome) });
    }
    case 'send':
      return send(state, effects, owner, outcome as ModelReference, reaction.method, reaction.args, null);
  }
}

// ── Passing
// ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A value passed to another actor of this worker, which gets its own copy of an eventual. */
function withOwnEventual(
  state: ModelState,
  effects: WorkerEffects,
  from: ActorId,
  to: ActorId,
  value: ModelValue,
): ModelValue {
  if (!isPointer(value) || from === to) return value;
  const copy = createEventual(state, to);
  react(state, effects, value, { kind: 'answer', replyTo: copy });
  return copy;
}

/** A value passed to another worker. */
function toWire(state: ModelState, effects: WorkerEffects, worker: number, value: ModelValue): WireValue {
  if (isReference(value)) {
    if (workerOf(value.ref) === state.worker) give(state, value);
    return value;
  }
  if (!isPointer(value)) return value;
  const number = ++state.passings;
  react(state, effects, value, { kind: 'tell', worker, number });
  return { eventual: number };
}

function fromWire(state: ModelState, from: number, to: ActorId, value: WireValue): ModelValue {
  if (typeof value !== 'object' || value === null || isReference(value)) return value;
  const eventual = createEventual(state, to);
  state.passed[`${from}.${value.eventual}`] = eventual.at;
  return eventual;
}

function give(state: ModelState, reference: ModelReference): void {
  if (!state.given.some((each) => keyOf(each) === keyOf(reference))) state.given.push(reference);
}
