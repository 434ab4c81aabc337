// Actors as threads. A recording may have many thousands, and editors show a list that they ask for at each stop: those come first that somebody has stood at, then the main programs, then
// those that had most to do; as many as are wanted, and it is told how many there are.
import { allActors, type ToldActor } from '@turntable/time-machine/client';
import type { Where } from '@turntable/time-machine/protocol';
import { DapError } from './dap-error.ts';
import type { Ground } from './ground.ts';

export class Actors {
  readonly #all: readonly ToldActor[];
  readonly #byName: ReadonlyMap<string, number>;
  /** Those that somebody has stood at, the last one at the end. */
  readonly #seen = new Set<number>();
  readonly #ground: Ground;
  readonly #most: number;
  #hasToldOfMore = false;

  private constructor(ground: Ground, all: readonly ToldActor[], most: number) {
    this.#ground = ground;
    this.#all = all;
    this.#most = most;
    this.#byName = new Map(all.map(({ worker, name }, i) => [keyOf(worker, name), i + 1]));
  }

  /** @param most threads that are told of */
  static async read(ground: Ground, most: number): Promise<Actors> {
    return new Actors(ground, await allActors(ground.client), most);
  }

  /** The number of whose stretch it is; of the end, who stood before it. */
  threadAt({ stretch }: Where): number {
    const here = stretch && this.#byName.get(keyOf(stretch.worker, stretch.actor));
    if (here === undefined) return [...this.#seen].at(-1) ?? 1;
    this.#seen.delete(here);
    this.#seen.add(here);
    return here;
  }

  named(thread: number): ToldActor {
    const actor = this.#all[thread - 1];
    if (actor === undefined)
      throw new DapError(
        'TT_DAP_NOT_THERE',
        `there is no thread ${thread}: each is an actor, from 1 to ${this.#all.length}`,
      );
    return actor;
  }

  threads(where: Where): { readonly id: number; readonly name: string }[] {
    const here = this.threadAt(where);
    const all = this.#all.map((actor, i) => ({ actor, id: i + 1 }));
    const born = all.filter(({ actor, id }) => id === here || (actor.birth ?? 0) <= where.order);
    const order = [...this.#seen].toReversed();
    const rank = ({ id, actor }: (typeof all)[number]): readonly number[] => {
      const seen = order.indexOf(id);
      return [seen === -1 ? order.length : seen, actor.birth === undefined ? 0 : 1, -actor.stretches, id];
    };
    const ranked = born.map((each) => ({ each, rank: rank(each) })).toSorted((a, b) => compared(a.rank, b.rank));
    if (born.length > this.#most && !this.#hasToldOfMore) {
      this.#hasToldOfMore = true;
      this.#ground.say(
        `${born.length} actors live here, of which ${this.#most} are shown as threads: "threads" of the configuration says how many`,
      );
    }
    return ranked.slice(0, this.#most).map(({ each: { id, actor } }) => ({ id, name: threadName(actor) }));
  }
}

function threadName({ worker, name }: ToldActor): string {
  return worker === 0 ? name : `${name} (worker ${worker})`;
}

function keyOf(worker: number, name: string): string {
  return `${worker} ${name}`;
}

function compared(one: readonly number[], other: readonly number[]): number {
  for (const [i, number] of one.entries()) if (number !== other[i]) return number - (other[i] ?? 0);
  return 0;
}
