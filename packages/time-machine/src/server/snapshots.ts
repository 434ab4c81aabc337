// The snapshots of a recording, as clients are told of them. What one holds is found out by whoever has given them, once; what is asked of it then, sorted and page by page, is answered here.
import { like } from '../moves/pattern.ts';
import type { SurveyIndex } from '../survey/survey-index.ts';
import { ERRORS, type ParamsOf, type ResultOf } from '../protocol.ts';
import { Refusal } from './refusal.ts';

export interface SnapshotHere {
  readonly phase: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** On the disk. */
  readonly bytes: number;
  readonly workers: readonly number[];
}

/** All objects of a class. */
export interface ClassSize {
  readonly name: string;
  /** The file of a class of the program. */
  readonly module: string | undefined;
  readonly count: number;
  readonly bytes: number;
  readonly retained: number;
}

export interface Snapshots {
  all(): readonly SnapshotHere[];
  /** Rejects with why it cannot be looked into. */
  classes(phase: number): Promise<readonly ClassSize[]>;
  close(): void;
}

type Told = ResultOf<'classes'>;
type ToldClass = Told['classes'][number];
type Sort = NonNullable<ParamsOf<'classes'>['sort']>;

/** Snapshots of which is kept what they hold. */
const MOST_KEPT = 8;

export class ToldSnapshots {
  readonly #snapshots: Snapshots | undefined;
  readonly #index: SurveyIndex;
  readonly #kept = new Map<number, Promise<readonly ClassSize[]>>();

  constructor(snapshots: Snapshots | undefined, index: SurveyIndex) {
    this.#snapshots = snapshots;
    this.#index = index;
  }

  all(): ResultOf<'snapshots'> {
    const told = (this.#snapshots?.all() ?? []).map(({ phase, time, bytes, workers }) => ({
      phase,
      time,
      bytes,
      workers,
      order: this.#index.phases.find((each) => each.phase === phase)?.begin,
    }));
    return { snapshots: told };
  }

  async classes(wish: ParamsOf<'classes'>, signal: AbortSignal): Promise<Told> {
    const { phase, against, matching, sort = 'retained', from = 0, count } = wish;
    const now = await this.#classesOf(phase, signal);
    const before = against === undefined ? undefined : await this.#classesOf(against, signal);
    const isMeant = matching === undefined ? () => true : like(matching);
    const meant = compared(now, before ?? [])
      .filter(({ name, module = '' }) => isMeant(name) || isMeant(module))
      .toSorted((one, other) => amount(other, sort) - amount(one, sort) || (one.name < other.name ? -1 : 1));
    return {
      classes: meant.slice(from, from + count),
      total: meant.length,
      now: wholeOf(now),
      before: before && wholeOf(before),
    };
  }

  async #classesOf(phase: number, signal: AbortSignal): Promise<readonly ClassSize[]> {
    const all = this.#snapshots?.all() ?? [];
    if (this.#snapshots === undefined || !all.some((each) => each.phase === phase)) {
      const known = all.map((each) => each.phase).join(', ');
      throw new Refusal(ERRORS.params, `there is no snapshot ${phase}${known === '' ? '' : `; there are ${known}`}`);
    }
    let found = this.#kept.get(phase);
    if (found === undefined) {
      found = this.#snapshots.classes(phase);
      this.#kept.set(phase, found);
      found.catch(() => this.#kept.delete(phase));
      const [oldest] = this.#kept.keys();
      if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    }
    return Promise.race([found, givenUp(signal)]);
  }

  close(): void {
    this.#snapshots?.close();
  }
}

function givenUp(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined);
  const end = (): void => reject(signal.reason as Error);
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  return promise;
}

function compared(now: readonly ClassSize[], before: readonly ClassSize[]): ToldClass[] {
  const both = new Map<string, ToldClass>();
  const keyOf = ({ name, module }: ClassSize): string => `${name}\n${module ?? ''}`;
  for (const each of now)
    both.set(keyOf(each), { name: each.name, module: each.module, now: sizeOf(each), before: undefined });
  for (const each of before) {
    const key = keyOf(each);
    both.set(key, { name: each.name, module: each.module, now: both.get(key)?.now, before: sizeOf(each) });
  }
  return [...both.values()];
}

function sizeOf({ count, bytes, retained }: ClassSize): NonNullable<ToldClass['now']> {
  return { count, bytes, retained };
}

function amount({ now, before }: ToldClass, sort: Sort): number {
  if (sort === 'grown') return (now?.retained ?? 0) - (before?.retained ?? 0);
  return now?.[sort] ?? 0;
}

function wholeOf(all: readonly ClassSize[]): Told['now'] {
  return all.reduce((sum, { count, bytes }) => ({ count: sum.count + count, bytes: sum.bytes + bytes }), {
    count: 0,
    bytes: 0,
  });
}
