// State graph of a scenario: the state of each worker, the items on each ring, and the possible steps. A step belongs
// to one worker, and its result is a function of that worker and the item that it takes. Workers are therefore stored
// as numbered texts, a cluster state is a few numbers, and each step of a worker is computed once, however many cluster
// states it applies to.
//
// Two reductions lose nothing:
// - All triggers happen before the first step, except in scenarios with losses, where their order matters. A worker may
//   heed a trigger between any two steps, so late triggers are covered.
// - A marker of a phase that its reader has entered already is taken as soon as it is first on its ring. It changes
//   only
//   what the reader knows about that ring, and nothing behind it can be taken before.
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
 * Numbers of stored texts: one for each worker (0 if it does not exist), one for each ring (0>0, 0>1 and so on). Then
 * the number of triggers so far, and 1 if a worker was lost.
 */
export type StateKey = readonly number[];

export type ExplorerStep =
  /** Steps of the main thread, outside of all workers. */
  | { readonly kind: 'trigger' }
  | { readonly kind: 'lose'; readonly worker: number }
  /** Steps of a worker. */
  | { readonly kind: 'cut' | 'turn' | 'mark' | 'observeLoss'; readonly worker: number }
  | { readonly kind: 'write'; readonly worker: number; readonly piece: SnapshotPiece }
  | { readonly kind: 'take'; readonly worker: number; readonly from: number };

type WorkerOwnStep = Exclude<ExplorerStep, { kind: 'trigger' | 'lose' }>;

interface StepResult {
  readonly worker: number;
  readonly sent: readonly { readonly to: number; readonly item: number }[];
  readonly started: StepEffects['started'];
}

export class StateSpace {
  readonly world: ExplorerWorld;
  /** Number 0 means a missing worker. */
  readonly #texts: string[] = [''];
  readonly #numbers = new Map<string, number>();
  readonly #read = new Map<number, unknown>();
  readonly #pieces = new Map<number, readonly SnapshotPiece[]>();
  /** Results of worker steps, by worker, step and item. */
  readonly #done = new Map<string, StepResult>();
  /** Rings with one more item, by ring and item; rings without their first item. */
  readonly #longer = new Map<number, number>();
  readonly #shorter = new Map<number, number>();
  readonly #triggersAt: number;
  readonly #lossAt: number;

  constructor(world: ExplorerWorld) {
    this.world = world;
    this.#triggersAt = this.#ringAt(world.workers, 0);
    this.#lossAt = this.#triggersAt + 1;
  }

  /** State at the start of a program or after a restore, before any cut. */
  keyOf({ states, rings }: ClusterState): StateKey {
    const { workers, phases, loss } = this.world;
    const node: number[] = [];
    for (let worker = 0; worker < workers; worker++) {
      const state = states[worker];
      node.push(state === undefined ? 0 : this.#numberOf(createWorker(state, 0)));
    }
    for (let from = 0; from < workers; from++) {
      for (let to = 0; to < workers; to++) {
        const items: RingItem[] = (rings[`${from}>${to}`] ?? []).map((message) => ({ message, sentIn: 0 }));
        node.push(this.#numberOf(items.map((item) => this.#numberOf(item))));
      }
    }
    return [...node, loss === undefined ? phases : 0, 0];
  }

  workerAt(node: StateKey, worker: number): ModelWorker | undefined {
    const number = node[worker] as number;
    return number === 0 ? undefined : (this.#readOf(number) as ModelWorker);
  }

  /** Data stored under a number. */
  stored(number: number): unknown {
    return this.#readOf(number);
  }

  stateAt(node: StateKey): ClusterState {
    const states: Record<number, ModelState> = {};
    const rings: Record<string, Message[]> = {};
    for (let to = 0; to < this.world.workers; to++) {
      const worker = this.workerAt(node, to);
      if (worker === undefined) continue;
      states[to] = worker.state;
      for (let from = 0; from < this.world.workers; from++) {
        const items = this.#ring(node, from, to).map((item) => this.#readOf(item) as RingItem);
        rings[`${from}>${to}`] = items.flatMap((item) => ('message' in item ? [item.message] : []));
      }
    }
    return { states, rings };
  }

  firstOn(node: StateKey, from: number, to: number): RingItem {
    return this.#readOf(this.#ring(node, from, to)[0] as number) as RingItem;
  }

  // ── Steps
  // ────────────────────────────────────────────────────────────────────────────────────────────────────────────

  stepsAt(node: StateKey): ExplorerStep[] {
    const { workers, phases, loss } = this.world;
    const steps: ExplorerStep[] = [];
    if ((node[this.#triggersAt] as number) < phases) steps.push({ kind: 'trigger' });
    if (loss !== undefined && node[loss.worker] !== 0 && node[this.#lossAt] === 0)
      steps.push({ kind: 'lose', worker: loss.worker });
    for (let worker = 0; worker < workers; worker++) {
      const known = this.workerAt(node, worker);
      if (known === undefined) continue;
      const { state, writing } = known;
      for (const piece of this.#piecesOf(node[worker] as number)) steps.push({ kind: 'write', worker, piece });
      if (writing.phase < (node[this.#triggersAt] as number)) steps.push({ kind: 'cut', worker });
      if (writing.unsentMarkers > 0) steps.push({ kind: 'mark', worker });
      if (state.queue.length > 0) steps.push({ kind: 'turn', worker });
      if (this.#canObserveLoss(node, worker)) steps.push({ kind: 'observeLoss', worker });
      for (const from of state.workerLinks)
        if (this.#ring(node, from, worker).length > 0) steps.push({ kind: 'take', worker, from });
    }
    return steps;
  }

  /** All messages of a lost worker are taken before the others learn of the loss. */
  #canObserveLoss(node: StateKey, worker: number): boolean {
    const { loss } = this.world;
    if (loss === undefined || node[this.#lossAt] === 0 || !this.#hasNeighbour(node, worker, loss.worker)) return false;
    return this.#ring(node, loss.worker, worker).length === 0;
  }

  #hasNeighbour(node: StateKey, worker: number, other: number): boolean {
    return this.workerAt(node, worker)?.state.workerLinks.includes(other) === true;
  }

  #piecesOf(number: number): readonly SnapshotPiece[] {
    let pieces = this.#pieces.get(number);
    if (pieces === undefined) {
      pieces = new WorkerStep(this.#readOf(number) as ModelWorker, this.world, this.#numberOf).pieces();
      this.#pieces.set(number, pieces);
    }
    return pieces;
  }

  after(node: StateKey, step: ExplorerStep): StateKey {
    const next = [...node];
    if (step.kind === 'trigger') next[this.#triggersAt] = (next[this.#triggersAt] as number) + 1;
    else if (step.kind === 'lose') this.#lose(next, step.worker);
    else this.#do(next, step);
    for (let to = 0; to < this.world.workers; to++)
      for (let from = 0; from < this.world.workers; from++)
        while (this.#isIdleMarker(next, from, to)) this.#do(next, { kind: 'take', worker: to, from });
    return next;
  }

  #isIdleMarker(node: StateKey, from: number, to: number): boolean {
    const [first] = this.#ring(node, from, to);
    if (first === undefined || !this.#hasNeighbour(node, to, from)) return false;
    const item = this.#readOf(first) as RingItem;
    return 'marker' in item && item.marker <= (this.workerAt(node, to) as ModelWorker).writing.phase;
  }

  /** Removes a worker and starts its successor. Messages that the worker has sent remain. */
  #lose(node: number[], worker: number): void {
    const { workers, loss } = this.world;
    node[this.#lossAt] = 1;
    node[worker] = 0;
    for (let from = 0; from < workers; from++) node[this.#ringAt(from, worker)] = this.#numberOf([]);
    const { phase } = (this.workerAt(node, 0) as ModelWorker).writing;
    if (loss !== undefined) this.#start(node, [loss.successor], phase);
  }

  /** Starts workers. They know all others, and their messages belong to their phase from the start. */
  #start(node: number[], started: readonly number[], phase: number): void {
    const existing = node.slice(0, this.world.workers).flatMap((number, worker) => (number === 0 ? [] : [worker]));
    const all = [...existing, ...started];
    const marker = this.#numberOf({ marker: phase } satisfies RingItem);
    for (const worker of started) {
      const others = all.filter((other) => other !== worker);
      const state = createState(worker, others);
      if (node[this.#lossAt] !== 0 && this.world.loss !== undefined) state.gone.push(this.world.loss.worker);
      node[worker] = this.#numberOf(createWorker(state, phase));
      for (const to of others) this.#pushToRing(node, worker, to, marker);
    }
  }

  #do(node: number[], step: WorkerOwnStep): void {
    const { worker } = step;
    const number = node[worker] as number;
    let taken = 0;
    if (step.kind === 'take') {
      const at = this.#ringAt(step.from, worker);
      [taken = 0] = this.#readOf(node[at] as number) as number[];
      node[at] = this.#ringWithoutFirst(node[at] as number);
    }
    const key = `${number} ${step.kind} ${step.kind === 'take' ? step.from : step.kind === 'write' ? step.piece : ''} ${taken}`;
    let done = this.#done.get(key);
    if (done === undefined) {
      done = this.#performStep(number, step, taken);
      this.#done.set(key, done);
    }
    node[worker] = done.worker;
    if (done.started.workers.length > 0) this.#start(node, done.started.workers, done.started.phase);
    for (const { to, item } of done.sent) if (node[to] !== 0) this.#pushToRing(node, worker, to, item);
  }

  #performStep(number: number, step: WorkerOwnStep, taken: number): StepResult {
    const worker = JSON.parse(this.#texts[number] as string) as ModelWorker;
    const doing = new WorkerStep(worker, this.world, this.#numberOf);
    if (step.kind === 'take') doing.take(step.from, this.#readOf(taken) as RingItem);
    else if (step.kind === 'write') doing.write(step.piece);
    else if (step.kind === 'turn') doing.turn();
    else if (step.kind === 'cut') doing.cut();
    else if (step.kind === 'observeLoss') doing.observeLoss();
    else doing.markAll();
    doing.end();
    const { sent, started } = doing.effects;
    return {
      worker: this.#numberOf(worker),
      sent: sent.map(({ to, item }) => ({ to, item: this.#numberOf(item) })),
      started,
    };
  }

  // ── Rings, texts
  // ─────────────────────────────────────────────────────────────────────────────────────────────────────

  #ringAt(from: number, to: number): number {
    return this.world.workers * (1 + from) + to;
  }

  #ring(node: StateKey, from: number, to: number): readonly number[] {
    return this.#readOf(node[this.#ringAt(from, to)] as number) as readonly number[];
  }

  #pushToRing(node: number[], from: number, to: number, item: number): void {
    const at = this.#ringAt(from, to);
    node[at] = this.#ringWith(node[at] as number, item);
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
      if (number > MAX_TEXTS) throw new Error('the scenario has too many states; make it smaller');
      this.#texts.push(text);
      this.#numbers.set(text, number);
    }
    return number;
  };
}

/** Text of a key, for maps. */
export function stateKeyText(node: StateKey): string {
  return String.fromCharCode(...node);
}

/** Largest number that fits into one character of a key. */
const MAX_TEXTS = 0xffff;

/** Description of a step for error messages. */
export function describeStep(space: StateSpace, node: StateKey, step: ExplorerStep): string {
  if (step.kind === 'trigger') return 'the main thread triggers';
  if (step.kind === 'lose') return `worker ${step.worker} ends`;
  const { state, writing } = space.workerAt(node, step.worker) as ModelWorker;
  const label = `worker ${step.worker} (phase ${writing.phase})`;
  switch (step.kind) {
    case 'cut':
      return `${label} cuts: phase ${writing.phase + 1} begins`;
    case 'mark':
      return `${label} puts the markers on its rings`;
    case 'write':
      return `${label} writes ${step.piece}`;
    case 'turn':
      return `${label} runs the turn of ${describeMessage(state.queue[0] as QueuedItem)}`;
    case 'observeLoss':
      return `${label} learns that a worker has ended`;
    case 'take': {
      const item = space.firstOn(node, step.from, step.worker);
      const text = 'marker' in item ? `the marker of phase ${item.marker}` : describeMessage(item.message);
      return `${label} takes ${text} from worker ${step.from}`;
    }
  }
}

function describeMessage(message: QueuedItem | Message): string {
  const { kind } = message;
  if (kind === 'call')
    return `${keyOf(message.target)}.${message.method}(${JSON.stringify(message.args).slice(1, -1)})`;
  if ('outcome' in message) return `${kind} ${JSON.stringify(message.outcome)}`;
  return `${kind} ${message.to}`;
}
