// Data breakpoints: who has written this. The protocol means a watch that stops the next write; in a recording every write has happened already, and what is asked for is the last one. So one
// is a chain of writes back from where it was set, each found from the one behind it; going backward stops at the next of them, going forward at those that are known.
import { compareSpots, spotOf, type Direction, type RequestOptions } from '@turntable/time-machine/client';
import type { Landed, ParamsOf, Where } from '@turntable/time-machine/protocol';
import type { Given } from './given.ts';
import type { Ground } from './ground.ts';

/** By which a client knows one. */
interface DataId {
  readonly expression: string;
  /** Where it means this. */
  readonly at: string;
}

interface Chain extends DataId {
  readonly id: number;
  /** From the last write on, back. */
  readonly writes: Landed[];
  /** Why there is none before. */
  end: string | undefined;
}

export interface Written {
  readonly landed: Landed;
  readonly id: number;
  readonly expression: string;
}

const MOVE = 'wrote';

export class Writes {
  readonly #ground: Ground;
  #chains: Chain[] = [];

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  get isEmpty(): boolean {
    return this.#chains.length === 0;
  }

  /** `setDataBreakpoints` */
  set(given: Given): { id: number; verified: boolean; message?: string }[] {
    const before = this.#chains;
    this.#chains = [];
    return given.parts('breakpoints').map((each) => {
      const wanted = dataIdIn(each.text('dataId'));
      const accessType = each.optionalText('accessType') ?? 'write';
      const why =
        wanted === undefined
          ? 'this is none of the ids that dataBreakpointInfo gives'
          : accessType !== 'write'
            ? 'only who has written something is known, not who has read it'
            : each.has('condition') || each.has('hitCondition')
              ? 'it stops at each write: it takes no condition'
              : undefined;
      if (wanted === undefined || why !== undefined)
        return { id: this.#ground.number(), verified: false, message: why ?? '' };
      const known = before.find(({ expression, at }) => expression === wanted.expression && at === wanted.at);
      const chain = known ?? { ...wanted, id: this.#ground.number(), writes: [], end: undefined };
      this.#chains.push(chain);
      return { id: chain.id, verified: true };
    });
  }

  /** The next write of any of them in a direction. */
  async next(from: Where, direction: Direction, options: RequestOptions): Promise<Written[]> {
    const found: Written[] = [];
    for (const chain of this.#chains) {
      const landed = await this.#next(chain, from, direction, options);
      if (landed !== undefined) found.push({ landed, id: chain.id, expression: chain.expression });
    }
    return found;
  }

  async #next(chain: Chain, from: Where, direction: Direction, options: RequestOptions): Promise<Landed | undefined> {
    const spot = spotOf(from);
    const side = ({ where }: Landed): number => compareSpots(spotOf(where), spot);
    const isKnown = (): boolean => chain.end !== undefined || chain.writes.some((each) => side(each) < 0);
    while (!isKnown()) await this.#grow(chain, options);
    return direction === 'backward'
      ? chain.writes.find((each) => side(each) < 0)
      : chain.writes.findLast((each) => side(each) > 0);
  }

  /** Where it means nothing, nobody has written it. */
  async #found(wanted: ParamsOf<'find'>, options: RequestOptions): Promise<Landed> {
    try {
      return await this.#ground.client.request('find', wanted, options);
    } catch (error) {
      if (options.signal?.aborted === true) throw error;
      return { found: false, why: (error as Error).message, where: this.#ground.hello.where };
    }
  }

  async #grow(chain: Chain, options: RequestOptions): Promise<void> {
    const from = chain.writes.at(-1)?.where.position ?? chain.at;
    const wanted = { move: MOVE, arguments: { what: chain.expression }, from };
    const landed = await this.#found(wanted, options);
    const last = chain.writes.at(-1);
    const isEarlier = last === undefined || compareSpots(spotOf(landed.where), spotOf(last.where)) < 0;
    if (!landed.found || !isEarlier) {
      chain.end = landed.why ?? 'nobody has written it before';
      return;
    }
    chain.writes.push(landed);
    // What came with a call or a message is called something else where it came from.
    if (landed.origin?.way !== 'written') chain.end = 'it came from there';
  }
}

export function dataIdOf(expression: string, at: string): string {
  return JSON.stringify({ expression, at } satisfies DataId);
}

function dataIdIn(text: string): DataId | undefined {
  try {
    const { expression, at } = JSON.parse(text) as Partial<DataId>;
    return typeof expression === 'string' && typeof at === 'string' ? { expression, at } : undefined;
  } catch {
    return undefined;
  }
}
