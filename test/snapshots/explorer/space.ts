/*
 * All that can happen, as a graph: what each worker is, what stands on each ring, and which steps lead on. A step belongs to one worker, and what comes of it is a
 * function of that worker and of what it takes. So workers are kept as texts with numbers, a state of the whole is a few numbers, and each step of a
 * worker is worked out once, however many states it is a step of.
 *
 * Two reductions, neither of which leaves anything out:
 * - All triggers have been given before the first step. A worker heeds one between any two steps, so it also does what it would if the trigger came later.
 * - A marker of a phase that its reader is in already is taken as soon as it is first on its ring. It changes nothing but what the reader knows of that
 *   ring, nobody else sees it, and without it nothing else can be taken from there.
 */
import { newState, newWorker, type Item, type Message, type State, type Worker } from './model.ts';
import { Doing, type Outcome, type World } from './protocol.ts';
import type { Moment } from './restore.ts';

/** What each worker is, 0 if it has not been started, then what stands on each ring, from worker 0 to 0, to 1 and so on: numbers of texts. */
export type Place = readonly number[];

export interface Step {
  readonly worker: number;
  readonly does: 'cut' | 'turn' | 'mark' | 'write' | 'take';
  /** What is written, from whom is taken. */
  readonly what: string | number;
}

interface Done {
  readonly worker: number;
  readonly sent: readonly { readonly to: number; readonly item: number }[];
  readonly started: Outcome['started'];
}

export class Space {
  readonly world: World;
  /** Nothing at all is number 0. */
  readonly #texts: string[] = [''];
  readonly #numbers = new Map<string, number>();
  readonly #read = new Map<number, unknown>();
  readonly #steps = new Map<number, readonly Step[]>();
  /** What comes of a step that needs nobody: each stands in `#steps` once. */
  readonly #alone = new Map<Step, Done>();
  /** And of taking something, by worker, from whom and what. */
  readonly #taken = new Map<number, Done>();
  /** Rings with one item more, by the ring and the item. */
  readonly #longer = new Map<number, number>();
  readonly #shorter = new Map<number, number>();

  constructor(world: World) {
    this.world = world;
  }

  /** Where a program begins or goes on: nobody has cut yet. */
  placeOf({ states, rings }: Moment): Place {
    const place: number[] = [];
    this.#each((worker) => {
      const state = states[worker];
      place.push(state === undefined ? 0 : this.#numberOf(newWorker(state, 0)));
    });
    this.#each((from) =>
      this.#each((to) => {
        const items: Item[] = (rings[`${from}>${to}`] ?? []).map((message) => ({ message, sentIn: 0 }));
        place.push(this.#numberOf(items.map((item) => this.#numberOf(item))));
      }),
    );
    return place;
  }

  workerAt(place: Place, worker: number): Worker | undefined {
    const number = place[worker] as number;
    return number === 0 ? undefined : (this.#readOf(number) as Worker);
  }

  /** What was put away under a number. */
  kept(number: number): unknown {
    return this.#readOf(number);
  }

  momentAt(place: Place): Moment {
    const states: Record<number, State> = {};
    const rings: Record<string, Message[]> = {};
    this.#each((to) => {
      const worker = this.workerAt(place, to);
      if (worker !== undefined) states[to] = worker.state;
      this.#each((from) => {
        const items = this.#ring(place, from, to).map((item) => this.#readOf(item) as Item);
        rings[`${from}>${to}`] = items.flatMap((item) => ('message' in item ? [item.message] : []));
      });
    });
    return { states, rings };
  }

  stepsAt(place: Place): Step[] {
    const steps: Step[] = [];
    this.#each((to) => {
      if (place[to] === 0) return;
      steps.push(...this.#stepsAlone(place, to));
      this.#each((from) => {
        if (this.#ring(place, from, to).length > 0) steps.push({ worker: to, does: 'take', what: from });
      });
    });
    return steps;
  }

  /** Those for which a worker needs nobody. */
  #stepsAlone(place: Place, worker: number): readonly Step[] {
    const number = place[worker] as number;
    let steps = this.#steps.get(number);
    if (steps === undefined) {
      const known = this.workerAt(place, worker) as Worker;
      const pieces = new Doing(known, this.world, this.#numberOf).pieces();
      const all: Step[] = pieces.map((what) => ({ worker, does: 'write', what }));
      const { state, writing } = known;
      if (writing.phase < this.world.phases) all.push({ worker, does: 'cut', what: writing.phase + 1 });
      if (writing.owed > 0) all.push({ worker, does: 'mark', what: writing.phase });
      if (state.queue.length > 0) all.push({ worker, does: 'turn', what: '' });
      steps = all;
      this.#steps.set(number, steps);
    }
    return steps;
  }

  after(place: Place, step: Step): Place {
    const next = [...place];
    const { worker } = step;
    this.#do(next, step);
    // Only what this worker has sent, and what has come to it, can have become a marker that changes nothing.
    this.#each((other) => {
      this.#takeIdleMarkers(next, worker, other);
      this.#takeIdleMarkers(next, other, worker);
    });
    return next;
  }

  #takeIdleMarkers(place: number[], from: number, to: number): void {
    for (;;) {
      const [first] = this.#ring(place, from, to);
      const worker = first === undefined ? undefined : this.workerAt(place, to);
      if (first === undefined || worker === undefined) return;
      const item = this.#readOf(first) as Item;
      if (!('marker' in item) || item.marker > worker.writing.phase) return;
      this.#do(place, { worker: to, does: 'take', what: from });
    }
  }

  #do(place: number[], step: Step): void {
    const { worker } = step;
    const { worker: then, sent, started } = step.does === 'take' ? this.#take(place, step) : this.#doAlone(place, step);
    place[worker] = then;
    for (const { to, item } of sent) {
      const at = this.#ringAt(worker, to);
      place[at] = this.#with(place[at] as number, item);
    }
    for (const each of started.workers) {
      const others: number[] = [];
      this.#each((other) => other !== each && others.push(other));
      place[each] = this.#numberOf(newWorker(newState(each, others), started.phase));
    }
  }

  #take(place: number[], step: Step): Done {
    const { workers } = this.world;
    const from = step.what as number;
    const [item = 0] = this.#ring(place, from, step.worker);
    const at = this.#ringAt(from, step.worker);
    place[at] = this.#withoutFirst(place[at] as number);
    const number = place[step.worker] as number;
    const key = (number * workers + from) * 2 ** 16 + item;
    let done = this.#taken.get(key);
    if (done === undefined) {
      done = this.#worked(number, (doing) => doing.take(from, this.#readOf(item) as Item));
      this.#taken.set(key, done);
    }
    return done;
  }

  #doAlone(place: Place, step: Step): Done {
    let done = this.#alone.get(step);
    if (done === undefined) {
      const { does, what } = step;
      done = this.#worked(place[step.worker] as number, (doing) => {
        if (does === 'cut') doing.cut();
        else if (does === 'turn') doing.turn();
        else if (does === 'mark') doing.markAll();
        else doing.write(what as string);
      });
      this.#alone.set(step, done);
    }
    return done;
  }

  #worked(number: number, work: (doing: Doing) => void): Done {
    const worker = JSON.parse(this.#texts[number] as string) as Worker;
    const doing = new Doing(worker, this.world, this.#numberOf);
    work(doing);
    doing.end();
    const { sent, started } = doing.outcome;
    return {
      worker: this.#numberOf(worker),
      sent: sent.map(({ to, item }) => ({ to, item: this.#numberOf(item) })),
      started,
    };
  }

  #with(ring: number, item: number): number {
    const key = ring * 2 ** 16 + item;
    let longer = this.#longer.get(key);
    if (longer === undefined) {
      longer = this.#numberOf([...(this.#readOf(ring) as number[]), item]);
      this.#longer.set(key, longer);
    }
    return longer;
  }

  #withoutFirst(ring: number): number {
    let shorter = this.#shorter.get(ring);
    if (shorter === undefined) {
      shorter = this.#numberOf((this.#readOf(ring) as number[]).slice(1));
      this.#shorter.set(ring, shorter);
    }
    return shorter;
  }

  #each(act: (worker: number) => void): void {
    for (let worker = 0; worker < this.world.workers; worker++) act(worker);
  }

  #ringAt(from: number, to: number): number {
    return this.world.workers * (1 + from) + to;
  }

  #ring(place: Place, from: number, to: number): readonly number[] {
    return this.#readOf(place[this.#ringAt(from, to)] as number) as readonly number[];
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
      if (number > MOST_TEXTS) throw new Error('this scenario is too large: leave something out');
      this.#texts.push(text);
      this.#numbers.set(text, number);
    }
    return number;
  };
}

/** The same for the same places. */
export function keyOf(place: Place): string {
  return String.fromCharCode(...place);
}

/** As many texts have numbers that fit into a key. */
const MOST_TEXTS = 0xffff;

/** What happens in a step, for people. */
export function describe(space: Space, place: Place, { worker, does, what }: Step): string {
  const { state, writing } = space.workerAt(place, worker) as Worker;
  const who = `worker ${worker} (phase ${writing.phase})`;
  if (does === 'cut') return `${who} cuts: phase ${what} begins`;
  if (does === 'mark') return `${who} puts the markers on its rings`;
  if (does === 'write')
    return `${who} writes ${what === 'segment' ? 'a segment of its queue' : what === 'base' ? 'its base' : what}`;
  if (does === 'turn') return `${who} has the turn of ${JSON.stringify(state.queue[0])}`;
  return `${who} takes what comes first from worker ${what}`;
}
