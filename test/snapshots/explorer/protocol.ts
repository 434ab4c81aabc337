// The protocol of docs/internals/snapshots.md, rule by rule. Each method performs one step of one worker, which sees its own
// state, what it has written so far, and the item that it takes. `fault` leaves one rule out. The explorer must detect
// that, or else its result for the complete protocol means nothing.
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

/** Messages written at once. */
const SEGMENT_SIZE = 2;

/** Unit of writing: an actor, the next segment of the queue, or the base if it was not written at the cut. */
export type SnapshotPiece = ActorId | 'segment' | 'base';

/** Configuration shared by all workers. */
export interface ExplorerWorld {
  readonly methods: Methods;
  /** Total number of workers, including those started later. */
  readonly workers: number;
  /** Total number of triggers. */
  readonly phases: number;
  /** A worker that may be lost, and its successor. */
  readonly loss: { readonly worker: number; readonly successor: number } | undefined;
  readonly fault: Fault | undefined;
}

/** Stores immutable data. Returns a number, equal for equal data. */
export type StoreState = (data: Part | CutState) => number;

/** Effects of a step beyond the worker's new state. */
export interface StepEffects {
  readonly sent: { readonly to: number; readonly item: RingItem }[];
  /** Workers to start, and their phase. */
  readonly started: { readonly workers: number[]; readonly phase: number };
}

/** One step of one worker. */
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

  // ── Steps
  // ────────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** 2. Cuts: the next phase begins here. */
  cut(): void {
    const { state, writing, witness } = this.#worker;
    if (!this.#has('starts the next snapshot before the last is written')) this.#finish();
    writing.phase++;
    const { phase } = writing;
    witness.cuts[phase] = this.#keep({ state, taken: witness.taken, sent: witness.sent });
    writing.unsentMarkers++;
    if (!this.#has('sends before the marker')) this.markAll();
    writing.open.push({
      phase,
      base: null,
      objects: {},
      actors: {},
      lent: {},
      deferred: {},
      queue: [],
      end: this.#has('records the end of the queue late') ? -1 : state.queue.length,
      ahead: 0,
      inFlight: {},
      awaits: [...state.workerLinks],
    });
    if (!this.#has('writes the base late')) this.#writeBase();
  }

  /** Puts a marker on every ring. */
  markAll(): void {
    const { state, writing } = this.#worker;
    for (const to of state.workerLinks) this.effects.sent.push({ to, item: { marker: writing.phase } });
    writing.unsentMarkers = 0;
  }

  /** Takes the first item of a ring. */
  take(from: number, item: RingItem): void {
    const { state, writing, witness } = this.#worker;
    if ('marker' in item) {
      if (!this.#has('does not cut at a marker')) while (writing.phase < item.marker) this.cut();
      writing.senderPhases[from] = item.marker;
      return;
    }
    if (item.sentIn > writing.phase)
      throw new Error(`worker ${state.worker} takes a message of phase ${item.sentIn} in phase ${writing.phase}`);
    witness.taken[from] = (witness.taken[from] ?? 0) + 1;
    this.#noteUnderWay(from, item.message);
    take(state, this.#effectsFor(), from, item.message);
  }

  /**
   * Learns that a worker has ended and was replaced. All its messages have been taken; open snapshots cannot be
   * completed.
   */
  observeLoss(): void {
    const { loss } = this.#world;
    if (loss === undefined) return;
    const { state, writing } = this.#worker;
    if (this.#has('completes parts without an ended worker') && state.worker !== 0) {
      for (const part of writing.open) part.awaits = part.awaits.filter((worker) => worker !== loss.worker);
    } else if (!this.#has('waits for the marker of an ended worker')) {
      writing.givenUp.push(...writing.open.map(({ phase }) => phase));
      writing.open = [];
    }
    lose(state, this.#effectsFor(), loss.worker);
    state.workerLinks.push(loss.successor);
    this.effects.sent.push({ to: loss.successor, item: { marker: writing.phase } });
  }

  /** Runs the turn of the first queued message. */
  turn(): void {
    const { state } = this.#worker;
    const part = this.#unfinished();
    const late = this.#has('writes a segment after its first message');
    if (part !== undefined && !late) this.#writeSegmentFor(part);
    const [message] = state.queue;
    if (message !== undefined && !this.#isUntouched(message.kind)) this.#touch(message.to);
    if (part !== undefined && part.end > 0) {
      part.end--;
      if (!late) part.ahead--;
    }
    runTurn(state, this.#effectsFor());
    if (part !== undefined && late) this.#writeSegmentFor(part);
  }

  // ── Pending pieces
  // ───────────────────────────────────────────────────────────────────────────────────────────────────

  isLeft(): boolean {
    return this.pieces().length > 0;
  }

  /** Pieces that can be written next in idle time. Turns write other actors when they touch them. */
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

  /** Part of the current phase. Parts of earlier phases were finished at its cut. */
  #unfinished(): Part | undefined {
    const { open, phase } = this.#worker.writing;
    return open.find((part) => part.phase === phase);
  }

  #writeBase(): void {
    const part = this.#unfinished() as Part;
    const { state } = this.#worker;
    const given = this.#has('forgets references held by other workers') ? [] : state.given;
    const toNames = (table: Record<string, ObjectId>): Record<string, ObjectName> =>
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
      asked: this.#has('forgets open questions') ? {} : toNames(state.asked),
      questions: state.questions,
      passed: this.#has('forgets received eventuals') ? {} : toNames(state.passed),
      passings: state.passings,
    };
    if (state.worker === 0) this.#find(part, 'main@0');
    if (this.#has('forgets expected actors')) return;
    for (const [id, { stage }] of Object.entries(state.actors)) if (stage === 'expected') this.#writeActor(part, id);
  }

  /** 4. Writes the segment of a message before the message is taken from the queue. */
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

  /** 3. Writes an actor before anything of it changes. */
  #touch(actor: ActorId): void {
    const part = this.#unfinished();
    if (part !== undefined && this.#isOf(part, actor)) this.#writeActor(part, actor);
  }

  #writeActor(part: Part, id: ActorId): void {
    if (part.actors[id] !== undefined && part.actors[id] !== null) return;
    const actor = this.#worker.state.actors[id];
    if (actor === undefined) return;
    const { stage, root, lent, watchers, early } = actor;
    // Marks the actor as written before its graph, which may lead back to its own deferred objects.
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
    for (const at of deferred) this.#writeObject(part, at, id);
  }

  // ── Graphs
  // ───────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Serializes a value or structure in the piece of an actor, or of none. */
  #written<T>(part: Part, owner: ActorId | undefined, value: T): Serialized<T> {
    if (isPointer(value)) return this.#mention(part, owner, value) as Serialized<T>;
    if (isReference(value)) return this.#refer(part, value) as unknown as Serialized<T>;
    if (Array.isArray(value)) return value.map((each) => this.#written(part, owner, each)) as Serialized<T>;
    if (typeof value !== 'object' || value === null) return value as Serialized<T>;
    return mapValues(value as Record<string, unknown>, (each) => this.#written(part, owner, each)) as Serialized<T>;
  }

  /**
   * 5 of the proof. All pieces share one table of object numbers. An object of another actor is deferred to that actor.
   */
  #mention(part: Part, owner: ActorId | undefined, { at }: Pointer): ObjectName {
    const object = this.#worker.state.objects[at] as ModelObject;
    if (object.owner === owner) this.#writeObject(part, at, owner);
    else this.#owe(part, at, object.owner);
    return { objectNumber: this.#numberOf(at, owner ?? object.owner) };
  }

  #refer(part: Part, reference: ModelReference): ModelReference {
    const { ref, number } = reference;
    const { worker, lent } = this.#worker.state;
    if (workerOf(ref) !== worker || !this.#isOf(part, ref)) return reference;
    this.#find(part, ref);
    const at = lent[keyOf(reference)];
    if (number === 0 || at === undefined || part.lent[keyOf(reference)] !== undefined) return reference;
    part.lent[keyOf(reference)] = { objectNumber: this.#numberOf(at, ref) };
    this.#owe(part, at, ref);
    return reference;
  }

  /** Writes an object with its actor, or at once if the actor is written already. */
  #owe(part: Part, at: ObjectId, owner: ActorId): void {
    this.#find(part, owner);
    if (part.actors[owner] === null) (part.deferred[owner] ??= []).push(at);
    else if (!this.#has('does not write deferred objects of written actors')) this.#writeObject(part, at, owner);
  }

  #find(part: Part, actor: ActorId): void {
    if (this.#isOf(part, actor)) part.actors[actor] ??= null;
  }

  /** Whether an actor existed at the cut. Messages in flight may mention actors that are in flight themselves. */
  #isOf(part: Part, actor: ActorId): boolean {
    const born = this.#worker.writing.born[actor];
    if (born === undefined) return false;
    return born < part.phase || this.#has('writes actors created by messages in flight');
  }

  #writeObject(part: Part, at: ObjectId, owner: ActorId): void {
    const number = this.#numberOf(at, owner);
    if (part.objects[number] !== undefined && !this.#has('writes an object twice')) return;
    const object = this.#worker.state.objects[at] as ModelObject;
    // Ends cycles.
    part.objects[number] = { owner, cells: {} };
    part.objects[number] = this.#written(part, owner, object);
  }

  #numberOf(at: ObjectId, piece: ActorId): string {
    return this.#has('uses one identity table per piece') ? `${at} in ${piece}` : String(at);
  }

  // ── Messages in flight, completion
  // ───────────────────────────────────────────────────────────────────────────────────

  /** 5. Writes a message that was sent in an earlier phase into all open parts in between. */
  #noteUnderWay(from: number, message: Message): void {
    const { writing } = this.#worker;
    if (this.#has('does not write messages in flight')) return;
    const sent = writing.senderPhases[from] ?? 0;
    for (const part of writing.open) {
      if (part.phase <= sent) continue;
      if (part.phase < writing.phase && this.#has('writes messages in flight into the last snapshot only')) continue;
      this.#written(part, undefined, message);
      (part.inFlight[from] ??= []).push(message);
    }
  }

  /** 6. After each step: a part is complete when all is written and markers of all workers have arrived. */
  end(): void {
    const { writing } = this.#worker;
    const endsEarly = this.#has('completes parts without all markers');
    writing.open = writing.open.filter((part) => {
      const isWritten = part.phase < writing.phase || !this.isLeft();
      const isMarked = part.awaits.every((from) => (writing.senderPhases[from] ?? 0) >= part.phase);
      if (!isWritten || !(isMarked || endsEarly)) return true;
      writing.whole[part.phase] = this.#keep(part);
      return false;
    });
  }

  // ── Helpers
  // ──────────────────────────────────────────────────────────────────────────────────────────────────────────

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
        if (!this.#has('does not touch a watched actor')) this.#touch(actor);
      },
      release: (reference) => {
        const part = this.#unfinished();
        // Its actor is written, because this is its turn. References lent since then have higher numbers.
        const isOld = reference.number <= (part?.actors[reference.ref]?.lent ?? 0);
        const isNoted = !this.#has('touches only the actor whose reference is released');
        if (part !== undefined && isOld && isNoted) this.#refer(part, reference);
      },
      made: (actor) => {
        writing.born[actor] = this.#has('assigns new actors to the previous phase') ? writing.phase - 1 : writing.phase;
      },
      start: () => {
        const others = Array.from({ length: this.#world.workers }, (_, worker) => worker);
        const workers = others.filter((worker) => worker !== state.worker);
        const isAhead = this.#has('starts workers in the triggered phase');
        this.effects.started.workers.push(...workers);
        Object.assign(this.effects.started, { phase: isAhead ? this.#world.phases : writing.phase });
        for (const to of workers) this.effects.sent.push({ to, item: { marker: writing.phase } });
        return workers;
      },
    };
  }

  #isUntouched(kind: string): boolean {
    return (
      (kind === 'settle' && this.#has('does not touch an actor before a settle')) ||
      (kind === 'stop' && this.#has('does not touch an actor before it stops')) ||
      (kind === 'call' && this.#has('does not touch an actor before its turn'))
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
