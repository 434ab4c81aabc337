/*
 * All that can happen, as a graph: what each worker is, what stands on each ring, and which steps lead on. A step belongs to one worker, and
 * what comes of it is a function of that worker and of what it takes. So workers are kept as texts with numbers, a state of the whole is a few
 * numbers, and each step of a worker is worked out once, however many states it is a step of.
 *
 * Two reductions, neither of which leaves anything out:
 * - All triggers have been given before the first step, but for what depends on when they are: losses. A worker heeds one between any two
 *   steps, so it also does what it would if the trigger came later.
 * - A marker of a phase that its reader is in already is taken as soon as it is first on its ring. It changes nothing but what the reader
 *   knows of that ring, nobody else sees it, and without it nothing else can be taken from there.
 */
import {
  keyOf,
  createState,
  createWorker,
  type RingItem,
  type Message,
  type ModelState,
  type QueuedItem,
  type ModelWorker,
} from './model.ts';
import { WorkerStep, type StepEffects, type SnapshotPiece, type ExplorerWorld } from './protocol.ts';
import type { ClusterState } from './restore.ts';

/**
 * What each worker is, 0 if it is not there; what stands on each ring, from worker 0 to 0, to 1 and so on: numbers of texts. Then how many
 * triggers there have been, and whether a worker was lost.
 */
export type StateKey = readonly number[];

export type ExplorerStep =
  /** Of the main thread, outside of all workers. */
  | { readonly does: 'trigger' }
  | { readonly does: 'lose'; readonly worker: number }
  /** Of a worker. */
  | { readonly does: 'cut' | 'turn' | 'mark' | 'hear'; readonly worker: number }
  | { readonly does: 'write'; readonly worker: number; readonly piece: SnapshotPiece }
  | { readonly does: 'take'; readonly worker: number; readonly from: number };

/** Of a worker's. */
type WorkerOwnStep = Exclude<ExplorerStep, { does: 'trigger' | 'lose' }>;

interface StepResult {
  readonly worker: number;
  readonly sent: readonly { readonly to: number; readonly item: number }[];
  readonly started: StepEffects['started'];
}

export class StateSpace {
  readonly world: ExplorerWorld;
  /** Nothing at all is number 0. */
  readonly #texts: string[] = [''];
  readonly #numbers = new Map<string, number>();
  readonly #read = new Map<number, unknown>();
  readonly #pieces = new Map<number, readonly SnapshotPiece[]>();
  /** What comes of each step of a worker, by the worker, the step and what is taken. */
  readonly #done = new Map<string, StepResult>();
  /** Rings with one item more, by the ring and the item, and without the first. */
  readonly #longer = new Map<number, number>();
  readonly #shorter = new Map<number, number>();
  readonly #triggersAt: number;
  readonly #lossAt: number;

  constructor(world: ExplorerWorld) {
    this.world = world;
    this.#triggersAt = this.#ringAt(world.workers, 0);
    this.#lossAt = this.#triggersAt + 1;
  }

  /** Where a program begins or goes on: nobody has cut yet. */
  keyOf({ states, rings }: ClusterState): StateKey {
    const { workers, phases, loss } = this.world;
    const place: number[] = [];
    for (let worker = 0; worker < workers; worker++) {
      const state = states[worker];
      place.push(state === undefined ? 0 : this.#numberOf(createWorker(state, 0)));
    }
    for (let from = 0; from < workers; from++) {
      for (let to = 0; to < workers; to++) {
        const items: RingItem[] = (rings[`${from}>${to}`] ?? []).map((message) => ({ message, sentIn: 0 }));
        place.push(this.#numberOf(items.map((item) => this.#numberOf(item))));
      }
    }
    return [...place, loss === undefined ? phases : 0, 0];
  }

  workerAt(place: StateKey, worker: number): ModelWorker | undefined {
    const number = place[worker] as number;
    return number === 0 ? undefined : (this.#readOf(number) as ModelWorker);
  }

  /** What was put away under a number. */
  stored(number: number): unknown {
    return this.#readOf(number);
  }

  stateAt(place: StateKey): ClusterState {
    const states: Record<number, ModelState> = {};
    const rings: Record<string, Message[]> = {};
    for (let to = 0; to < this.world.workers; to++) {
      const worker = this.workerAt(place, to);
      if (worker === undefined) continue;
      states[to] = worker.state;
      for (let from = 0; from < this.world.workers; from++) {
        const items = this.#ring(place, from, to).map((item) => this.#readOf(item) as RingItem);
        rings[`${from}>${to}`] = items.flatMap((item) => ('message' in item ? [item.message] : []));
      }
    }
    return { states, rings };
  }

  firstOn(place: StateKey, from: number, to: number): RingItem {
    return this.#readOf(this.#ring(place, from, to)[0] as number) as RingItem;
  }

  // ── Steps ────────────────────────────────────────────────────────────────────────────────────────────────────────────

  stepsAt(place: StateKey): ExplorerStep[] {
    const { workers, phases, loss } = this.world;
    const steps: ExplorerStep[] = [];
    if ((place[this.#triggersAt] as number) < phases) steps.push({ does: 'trigger' });
    if (loss !== undefined && place[loss.worker] !== 0 && place[this.#lossAt] === 0)
      steps.push({ does: 'lose', worker: loss.worker });
    for (let worker = 0; worker < workers; worker++) {
      const known = this.workerAt(place, worker);
      if (known === undefined) continue;
      const { state, writing } = known;
      for (const piece of this.#piecesOf(place[worker] as number)) steps.push({ does: 'write', worker, piece });
      if (writing.phase < (place[this.#triggersAt] as number)) steps.push({ does: 'cut', worker });
      if (writing.owed > 0) steps.push({ does: 'mark', worker });
      if (state.queue.length > 0) steps.push({ does: 'turn', worker });
      if (this.#isToHear(place, worker)) steps.push({ does: 'hear', worker });
      for (const from of state.workerLinks)
        if (this.#ring(place, from, worker).length > 0) steps.push({ does: 'take', worker, from });
    }
    return steps;
  }

  /** What a lost worker has sent is taken first. */
  #isToHear(place: StateKey, worker: number): boolean {
    const { loss } = this.world;
    if (loss === undefined || place[this.#lossAt] === 0 || !this.#hasNeighbour(place, worker, loss.worker))
      return false;
    return this.#ring(place, loss.worker, worker).length === 0;
  }

  #hasNeighbour(place: StateKey, worker: number, other: number): boolean {
    return this.workerAt(place, worker)?.state.workerLinks.includes(other) === true;
  }

  #piecesOf(number: number): readonly SnapshotPiece[] {
    let pieces = this.#pieces.get(number);
    if (pieces === undefined) {
      pieces = new WorkerStep(this.#readOf(number) as ModelWorker, this.world, this.#numberOf).pieces();
      this.#pieces.set(number, pieces);
    }
    return pieces;
  }

  after(place: StateKey, step: ExplorerStep): StateKey {
    const next = [...place];
    if (step.does === 'trigger') next[this.#triggersAt] = (next[this.#triggersAt] as number) + 1;
    else if (step.does === 'lose') this.#lose(next, step.worker);
    else this.#do(next, step);
    for (let to = 0; to < this.world.workers; to++)
      for (let from = 0; from < this.world.workers; from++)
        while (this.#isIdleMarker(next, from, to)) this.#do(next, { does: 'take', worker: to, from });
    return next;
  }

  #isIdleMarker(place: StateKey, from: number, to: number): boolean {
    const [first] = this.#ring(place, from, to);
    if (first === undefined || !this.#hasNeighbour(place, to, from)) return false;
    const item = this.#readOf(first) as RingItem;
    return 'marker' in item && item.marker <= (this.workerAt(place, to) as ModelWorker).writing.phase;
  }

  /** A worker has ended. What it had sent is still there; another one is started in its place. */
  #lose(place: number[], worker: number): void {
    const { workers, loss } = this.world;
    place[this.#lossAt] = 1;
    place[worker] = 0;
    for (let from = 0; from < workers; from++) place[this.#ringAt(from, worker)] = this.#numberOf([]);
    const { phase } = (this.workerAt(place, 0) as ModelWorker).writing;
    if (loss !== undefined) this.#start(place, [loss.successor], phase);
  }

  /** New workers know all that are there, and what they send is of their phase from the beginning. */
  #start(place: number[], started: readonly number[], phase: number): void {
    const there = place.slice(0, this.world.workers).flatMap((number, worker) => (number === 0 ? [] : [worker]));
    const all = [...there, ...started];
    const marker = this.#numberOf({ marker: phase } satisfies RingItem);
    for (const worker of started) {
      const others = all.filter((other) => other !== worker);
      const state = createState(worker, others);
      if (place[this.#lossAt] !== 0 && this.world.loss !== undefined) state.gone.push(this.world.loss.worker);
      place[worker] = this.#numberOf(createWorker(state, phase));
      for (const to of others) this.#pushToRing(place, worker, to, marker);
    }
  }

  #do(place: number[], step: WorkerOwnStep): void {
    const { worker } = step;
    const number = place[worker] as number;
    let taken = 0;
    if (step.does === 'take') {
      const at = this.#ringAt(step.from, worker);
      [taken = 0] = this.#readOf(place[at] as number) as number[];
      place[at] = this.#ringWithoutFirst(place[at] as number);
    }
    const key = `${number} ${step.does} ${step.does === 'take' ? step.from : step.does === 'write' ? step.piece : ''} ${taken}`;
    let done = this.#done.get(key);
    if (done === undefined) {
      done = this.#performStep(number, step, taken);
      this.#done.set(key, done);
    }
    place[worker] = done.worker;
    if (done.started.workers.length > 0) this.#start(place, done.started.workers, done.started.phase);
    for (const { to, item } of done.sent) if (place[to] !== 0) this.#pushToRing(place, worker, to, item);
  }

  #performStep(number: number, step: WorkerOwnStep, taken: number): StepResult {
    const worker = JSON.parse(this.#texts[number] as string) as ModelWorker;
    const doing = new WorkerStep(worker, this.world, this.#numberOf);
    if (step.does === 'take') doing.take(step.from, this.#readOf(taken) as RingItem);
    else if (step.does === 'write') doing.write(step.piece);
    else if (step.does === 'turn') doing.turn();
    else if (step.does === 'cut') doing.cut();
    else if (step.does === 'hear') doing.hear();
    else doing.markAll();
    doing.end();
    const { sent, started } = doing.effects;
    return {
      worker: this.#numberOf(worker),
      sent: sent.map(({ to, item }) => ({ to, item: this.#numberOf(item) })),
      started,
    };
  }

  // ── Rings, texts ─────────────────────────────────────────────────────────────────────────────────────────────────────

  #ringAt(from: number, to: number): number {
    return this.world.workers * (1 + from) + to;
  }

  #ring(place: StateKey, from: number, to: number): readonly number[] {
    return this.#readOf(place[this.#ringAt(from, to)] as number) as readonly number[];
  }

  #pushToRing(place: number[], from: number, to: number, item: number): void {
    const at = this.#ringAt(from, to);
    place[at] = this.#ringWith(place[at] as number, item);
  }

  #ringWith(ring: number, item: number): number {
    const key = ring * 2 ** 16 + item;
    let longer = this.#longer.get(key);
    if (longer === undefined) {
      longer = this.#numberOf([...(this.#readOf(ring) as number[]), item]);
      this.#longer.set(key, longer);
    }
    return longer;
  }

  #ringWithoutFirst(ring: number): number {
    let shorter = this.#shorter.get(ring);
    if (shorter === undefined) {
      shorter = this.#numberOf((this.#readOf(ring) as number[]).slice(1));
      this.#shorter.set(ring, shorter);
    }
    return shorter;
  }

  #readOf(number: number): unknown {
    let data = this.#read.get(number);
    if (data === undefined) {
      data = JSON.parse(this.#texts[number] as string);
      this.#read.set(number, data);
    }
    return data;
  }

  readonly #numberOf = (data: unknown): number => {
    const text = JSON.stringify(data);
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.#texts.length;
      if (number > MAX_TEXTS) throw new Error('this scenario is too large: leave something out');
      this.#texts.push(text);
      this.#numbers.set(text, number);
    }
    return number;
  };
}

/** The same for the same places. */
export function stateKeyText(place: StateKey): string {
  return String.fromCharCode(...place);
}

/** As many texts have numbers that fit into a key. */
const MAX_TEXTS = 0xffff;

/** What happens in a step, for people. */
export function describeStep(space: StateSpace, place: StateKey, step: ExplorerStep): string {
  if (step.does === 'trigger') return 'the main thread triggers';
  if (step.does === 'lose') return `worker ${step.worker} ends`;
  const { state, writing } = space.workerAt(place, step.worker) as ModelWorker;
  const who = `worker ${step.worker} (phase ${writing.phase})`;
  switch (step.does) {
    case 'cut':
      return `${who} cuts: phase ${writing.phase + 1} begins`;
    case 'mark':
      return `${who} puts the markers on its rings`;
    case 'write':
      return `${who} writes ${step.piece}`;
    case 'turn':
      return `${who} has the turn of ${describeMessage(state.queue[0] as QueuedItem)}`;
    case 'hear':
      return `${who} hears that a worker has ended`;
    case 'take': {
      const item = space.firstOn(place, step.from, step.worker);
      const what = 'marker' in item ? `the marker of phase ${item.marker}` : describeMessage(item.message);
      return `${who} takes ${what} from worker ${step.from}`;
    }
  }
}

function describeMessage(message: QueuedItem | Message): string {
  const { what } = message;
  if (what === 'call')
    return `${keyOf(message.target)}.${message.method}(${JSON.stringify(message.args).slice(1, -1)})`;
  if ('outcome' in message) return `${what} ${JSON.stringify(message.outcome)}`;
  return `${what} ${message.to}`;
}
