/*
 * The protocol of docs/snapshots.md, rule by rule. Each function is what one worker does by itself: it sees its own state, what it has written
 * so far, and the one item that it takes. `fault` leaves one rule out; the explorer must find out that this is wrong, or else it proves
 * nothing.
 */
import type { Fault } from './faults.ts';
import {
  isPointer,
  isReference,
  keyOf,
  workerOf,
  type ActorId,
  type CutState,
  type RingItem,
  type Message,
  type ObjectName,
  type ObjectId,
  type Part,
  type Pointer,
  type ModelReference,
  type ModelObject,
  type ModelWorker,
  type Serialized,
} from './model.ts';
import { lose, runTurn, take, type WorkerEffects, type Methods } from './program.ts';

/** As many messages are written at one go. */
const SEGMENT_SIZE = 2;

/** What is written at one go: an actor, the next segment of the queue; the base, if not at the cut. */
export type SnapshotPiece = ActorId | 'segment' | 'base';

/** What all workers have in common. */
export interface ExplorerWorld {
  readonly methods: Methods;
  /** How many workers there are to be. */
  readonly workers: number;
  /** How many triggers there are to be. */
  readonly phases: number;
  /** A worker that may be lost, and the one that is started in its place. */
  readonly loss: { readonly worker: number; readonly successor: number } | undefined;
  readonly fault: Fault | undefined;
}

/** Puts away what does not change any more; answers a number for it, the same for the same. */
export type StoreState = (data: Part | CutState) => number;

/** What comes of a step, beside the worker's new state. */
export interface StepEffects {
  readonly sent: { readonly to: number; readonly item: RingItem }[];
  /** Workers that are started, and in which phase. */
  readonly started: { readonly workers: number[]; readonly phase: number };
}

/** A worker while it does one step. */
export class WorkerStep {
  readonly #worker: ModelWorker;
  readonly #world: ExplorerWorld;
  readonly #keep: StoreState;
  readonly effects: StepEffects = { sent: [], started: { workers: [], phase: 0 } };

  constructor(worker: ModelWorker, world: ExplorerWorld, keep: StoreState) {
    this.#worker = worker;
    this.#world = world;
    this.#keep = keep;
  }

  // ── Steps ────────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** 2. Cut: the next phase begins here. */
  cut(): void {
    const { state, writing, witness } = this.#worker;
    if (!this.#has('starts the next snapshot with the last unwritten')) this.#finish();
    writing.phase++;
    const { phase } = writing;
    witness.cuts[phase] = this.#keep({ state, taken: witness.taken, sent: witness.sent });
    writing.owed++;
    if (!this.#has('sends before the marker')) this.markAll();
    writing.open.push({
      phase,
      base: null,
      things: {},
      actors: {},
      lent: {},
      deferred: {},
      queue: [],
      end: this.#has('notes the end of the queue late') ? -1 : state.queue.length,
      ahead: 0,
      underWay: {},
      awaits: [...state.workerLinks],
    });
    if (!this.#has('writes the base late')) this.#writeBase();
  }

  /** A marker goes on every ring. */
  markAll(): void {
    const { state, writing } = this.#worker;
    for (const to of state.workerLinks) this.effects.sent.push({ to, item: { marker: writing.phase } });
    writing.owed = 0;
  }

  /** Takes what stands first on the ring from another worker. */
  take(from: number, item: RingItem): void {
    const { state, writing, witness } = this.#worker;
    if ('marker' in item) {
      if (!this.#has('goes on in its phase behind a marker')) while (writing.phase < item.marker) this.cut();
      writing.lossesSeen[from] = item.marker;
      return;
    }
    if (item.sentIn > writing.phase)
      throw new Error(`worker ${state.here} takes in phase ${writing.phase} what was sent in phase ${item.sentIn}`);
    witness.taken[from] = (witness.taken[from] ?? 0) + 1;
    this.#noteUnderWay(from, item.message);
    take(state, this.#effectsFor(), from, item.message);
  }

  /** Hears that a worker has ended, whose messages have all been taken, and of another one in its place. Nothing that is open can become whole. */
  hear(): void {
    const { loss } = this.#world;
    if (loss === undefined) return;
    const { state, writing } = this.#worker;
    if (this.#has('goes on without a worker that has ended') && state.here !== 0) {
      for (const part of writing.open) part.awaits = part.awaits.filter((worker) => worker !== loss.worker);
    } else if (!this.#has('waits for the marker of a worker that has ended')) {
      writing.givenUp.push(...writing.open.map(({ phase }) => phase));
      writing.open = [];
    }
    lose(state, this.#effectsFor(), loss.worker);
    state.workerLinks.push(loss.successor);
    this.effects.sent.push({ to: loss.successor, item: { marker: writing.phase } });
  }

  /** Has the turn of the first message that waits. */
  turn(): void {
    const { state } = this.#worker;
    const part = this.#unfinished();
    const late = this.#has('writes a segment behind its first message');
    if (part !== undefined && !late) this.#writeSegmentFor(part);
    const [message] = state.queue;
    if (message !== undefined && !this.#isUntouched(message.what)) this.#touch(message.to);
    if (part !== undefined && part.end > 0) {
      part.end--;
      if (!late) part.ahead--;
    }
    runTurn(state, this.#effectsFor());
    if (part !== undefined && late) this.#writeSegmentFor(part);
  }

  // ── What is to be written ────────────────────────────────────────────────────────────────────────────────────────────

  /** Whether pieces wait to be written. */
  isLeft(): boolean {
    return this.pieces().length > 0;
  }

  /** What can be written next in idle time: the next segment, and the actor that was found first. Turns touch the others before. */
  pieces(): SnapshotPiece[] {
    const part = this.#unfinished();
    if (part === undefined) return [];
    const pieces: SnapshotPiece[] = waitingOf(part).slice(0, 1);
    if (part.end > part.ahead) pieces.push('segment');
    if (part.base === null) pieces.push('base');
    return pieces;
  }

  write(piece: SnapshotPiece): void {
    const part = this.#unfinished() as Part;
    if (piece === 'base') this.#writeBase();
    else if (piece === 'segment') this.#writeSegment(part);
    else this.#writeActor(part, piece);
  }

  #finish(): void {
    for (let [piece] = this.pieces(); piece !== undefined; [piece] = this.pieces()) this.write(piece);
  }

  /** The snapshot of this phase: those before were written to their end at its cut. */
  #unfinished(): Part | undefined {
    const { open, phase } = this.#worker.writing;
    return open.find((part) => part.phase === phase);
  }

  #writeBase(): void {
    const part = this.#unfinished() as Part;
    const { state } = this.#worker;
    const given = this.#has('forgets what it has given away') ? [] : state.given;
    const named = (table: Record<string, ObjectId>): Record<string, ObjectName> =>
      this.#written(
        part,
        undefined,
        mapValues(table, (at) => ({ at })),
      );
    part.base = {
      workerLinks: [...state.workerLinks],
      gone: [...state.gone],
      module: state.module,
      given: this.#written(part, undefined, given) as ModelReference[],
      asked: this.#has('forgets what it has asked') ? {} : named(state.asked),
      questions: state.questions,
      passed: this.#has('forgets what was passed to it') ? {} : named(state.passed),
      passings: state.passings,
    };
    if (state.here === 0) this.#find(part, 'main@0');
    if (this.#has('forgets the unborn')) return;
    for (const [id, { stage }] of Object.entries(state.actors)) if (stage === 'expected') this.#writeActor(part, id);
  }

  /** 4. Before a message is taken from the queue, the segment is written that it is in. */
  #writeSegmentFor(part: Part): void {
    if (part.end === -1) part.end = this.#worker.state.queue.length;
    if (part.end > 0 && part.ahead === 0) this.#writeSegment(part);
  }

  #writeSegment(part: Part): void {
    const { queue } = this.#worker.state;
    if (part.end === -1) part.end = queue.length;
    for (const message of queue.slice(part.ahead, Math.min(part.ahead + SEGMENT_SIZE, part.end))) {
      this.#find(part, message.to);
      part.queue.push(this.#written(part, undefined, message));
      part.ahead++;
    }
  }

  /** 3. Before anything of an actor changes, it is written. */
  #touch(actor: ActorId): void {
    const part = this.#unfinished();
    if (part !== undefined && this.#isOf(part, actor)) this.#writeActor(part, actor);
  }

  #writeActor(part: Part, id: ActorId): void {
    if (part.actors[id] !== undefined && part.actors[id] !== null) return;
    const actor = this.#worker.state.actors[id];
    if (actor === undefined) return;
    const { stage, root, lent, watchers, early } = actor;
    // Before what it leads to: that may lead to what is a debt of its own.
    part.actors[id] = { stage, root: null, lent, watchers: [], early: [] };
    part.actors[id] = {
      stage,
      root: root === null ? null : (this.#written(part, id, { at: root }) as ObjectName),
      lent,
      watchers: watchers.map((each) => this.#written(part, id, each)),
      early: early.map((each) => this.#written(part, id, each)),
    };
    const deferred = part.deferred[id] ?? [];
    delete part.deferred[id];
    for (const at of deferred) this.#writeThing(part, at, id);
  }

  // ── Graphs ───────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** A value, or a structure of values, as it stands in a piece: of an actor, or of none. */
  #written<T>(part: Part, owner: ActorId | undefined, value: T): Serialized<T> {
    if (isPointer(value)) return this.#mention(part, owner, value) as Serialized<T>;
    if (isReference(value)) return this.#refer(part, value) as unknown as Serialized<T>;
    if (Array.isArray(value)) return value.map((each) => this.#written(part, owner, each)) as Serialized<T>;
    if (typeof value !== 'object' || value === null) return value as Serialized<T>;
    return mapValues(value as Record<string, unknown>, (each) => this.#written(part, owner, each)) as Serialized<T>;
  }

  /** 5 of the proof. An object is known by its number in the one table of all pieces; what belongs to another actor is a debt of that one. */
  #mention(part: Part, owner: ActorId | undefined, { at }: Pointer): ObjectName {
    const thing = this.#worker.state.objects[at] as ModelObject;
    if (thing.owner === owner) this.#writeThing(part, at, owner);
    else this.#owe(part, at, thing.owner);
    return { named: this.#numberOf(at, owner ?? thing.owner) };
  }

  #refer(part: Part, reference: ModelReference): ModelReference {
    const { ref, number } = reference;
    const { here, lent } = this.#worker.state;
    if (workerOf(ref) !== here || !this.#isOf(part, ref)) return reference;
    this.#find(part, ref);
    const at = lent[keyOf(reference)];
    if (number === 0 || at === undefined || part.lent[keyOf(reference)] !== undefined) return reference;
    part.lent[keyOf(reference)] = { named: this.#numberOf(at, ref) };
    this.#owe(part, at, ref);
    return reference;
  }

  /** Written with its actor, or at once behind it. */
  #owe(part: Part, at: ObjectId, owner: ActorId): void {
    this.#find(part, owner);
    if (part.actors[owner] === null) (part.deferred[owner] ??= []).push(at);
    else if (!this.#has('writes no debt of an actor that is written')) this.#writeThing(part, at, owner);
  }

  #find(part: Part, actor: ActorId): void {
    if (this.#isOf(part, actor)) part.actors[actor] ??= null;
  }

  /** Whether an actor was here at the cut. What was under way may name one that was under way itself. */
  #isOf(part: Part, actor: ActorId): boolean {
    const born = this.#worker.writing.born[actor];
    if (born === undefined) return false;
    return born < part.phase || this.#has('finds whom a message under way has made');
  }

  #writeThing(part: Part, at: ObjectId, owner: ActorId): void {
    const number = this.#numberOf(at, owner);
    if (part.things[number] !== undefined && !this.#has('looks again at what is written')) return;
    const thing = this.#worker.state.objects[at] as ModelObject;
    // A circle ends here.
    part.things[number] = { owner, cells: {} };
    part.things[number] = this.#written(part, owner, thing);
  }

  #numberOf(at: ObjectId, piece: ActorId): string {
    return this.#has('has a table of identities for each piece') ? `${at} in ${piece}` : String(at);
  }

  // ── Under way, and the end ───────────────────────────────────────────────────────────────────────────────────────────

  /** 5. Who takes a message that was sent in an earlier phase writes it for all snapshots between. */
  #noteUnderWay(from: number, message: Message): void {
    const { writing } = this.#worker;
    if (this.#has('does not write what is under way')) return;
    const sent = writing.lossesSeen[from] ?? 0;
    for (const part of writing.open) {
      if (part.phase <= sent) continue;
      if (part.phase < writing.phase && this.#has('writes what is under way for its last snapshot alone')) continue;
      this.#written(part, undefined, message);
      (part.underWay[from] ??= []).push(message);
    }
  }

  /** 6. After each step: its part of a snapshot is whole when all is written and a marker has come from everybody. */
  end(): void {
    const { writing } = this.#worker;
    const early = this.#has('ends without all markers');
    writing.open = writing.open.filter((part) => {
      const isWritten = part.phase < writing.phase || !this.isLeft();
      const isMarked = part.awaits.every((from) => (writing.lossesSeen[from] ?? 0) >= part.phase);
      if (!isWritten || !(isMarked || early)) return true;
      writing.whole[part.phase] = this.#keep(part);
      return false;
    });
  }

  // ── Around ───────────────────────────────────────────────────────────────────────────────────────────────────────────

  #effectsFor(): WorkerEffects {
    const { state, writing, witness } = this.#worker;
    return {
      methods: this.#world.methods,
      jobs: [],
      send: (to, message) => {
        if (state.gone.includes(to)) return;
        (witness.sent[to] ??= []).push(message);
        this.effects.sent.push({ to, item: { message, sentIn: writing.phase } });
      },
      touch: (actor) => {
        if (!this.#has('does not touch who is watched')) this.#touch(actor);
      },
      release: (reference) => {
        const part = this.#unfinished();
        // Its actor is written, since it has its turn; references it has lent since have higher numbers.
        const isOld = reference.number <= (part?.actors[reference.ref]?.lent ?? 0);
        const isNoted = !this.#has('touches only the actor whose reference is released');
        if (part !== undefined && isOld && isNoted) this.#refer(part, reference);
      },
      made: (actor) => {
        writing.born[actor] = this.#has('makes actors in the phase before') ? writing.phase - 1 : writing.phase;
      },
      start: () => {
        const others = Array.from({ length: this.#world.workers }, (_, worker) => worker);
        const workers = others.filter((worker) => worker !== state.here);
        const isAhead = this.#has('starts workers in the phase that was triggered');
        this.effects.started.workers.push(...workers);
        Object.assign(this.effects.started, { phase: isAhead ? this.#world.phases : writing.phase });
        for (const to of workers) this.effects.sent.push({ to, item: { marker: writing.phase } });
        return workers;
      },
    };
  }

  #isUntouched(what: string): boolean {
    return (
      (what === 'settle' && this.#has('does not touch before a settle')) ||
      (what === 'stop' && this.#has('does not touch before a stop')) ||
      (what === 'call' && this.#has('does not touch before a turn'))
    );
  }

  #has(fault: Fault): boolean {
    return this.#world.fault === fault;
  }
}

function waitingOf(part: Part): ActorId[] {
  return Object.keys(part.actors).filter((actor) => part.actors[actor] === null);
}

function mapValues<T, U>(table: Record<string, T>, map: (each: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(table).map(([key, each]) => [key, map(each)]));
}
