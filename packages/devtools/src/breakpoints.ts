// What a client wants to stop at: lines of files, errors, things of a kind that happen; and log points. Those of all clients are one list of the time machine's, on which all stop; a client removes
// its own, and none is left of one that has gone.
import type { ParamsOf } from '@turntable/time-machine/protocol';
import { DevtoolsError } from './devtools-error.ts';
import type { Ground } from './ground.ts';
import { logPoint, LogPoints } from './log-points.ts';
import { isFrom, type Location, type Place, type Script } from './scripts.ts';

type Wish = ParamsOf<'break'>;

interface Spot {
  readonly script: Script;
  readonly location: Place;
}

interface Own {
  readonly wishes: readonly Wish[];
  readonly places: readonly Spot[];
  /** The time machine's, while they are active. */
  numbers: readonly number[];
  readonly stop: () => void;
}

export interface LineWish {
  readonly lineNumber: number;
  readonly columnNumber?: number | undefined;
  readonly condition?: string | undefined;
}

export type Caught = 'none' | 'caught' | 'uncaught' | 'all';

/** Kinds of the time machine's by what is to be stopped at. */
const ERRORS: Readonly<Record<Caught, readonly string[]>> = {
  none: [],
  caught: ['exception', 'rejection'],
  uncaught: ['error'],
  all: ['error', 'exception', 'rejection'],
};
const OF_ERRORS = 'errors';

export class Breakpoints {
  readonly #ground: Ground;
  readonly #logPoints: LogPoints;
  readonly #own = new Map<string, Own>();
  #isActive = true;
  #last = 0;

  constructor(ground: Ground) {
    this.#ground = ground;
    this.#logPoints = new LogPoints(ground);
  }

  /** Answers where they are. @param id by which the client knows it */
  async setLine(id: string, scripts: readonly Script[], wish: LineWish): Promise<Location[]> {
    if (this.#own.has(id))
      throw new DevtoolsError('TT_CDP_NOT_THERE', 'Breakpoint at specified location already exists.');
    const places: Spot[] = [];
    for (const script of scripts) {
      const all = await this.#ground.scripts.placesOf(script, this.#ground.client);
      const location = all.find((each) => isFrom(wish, each));
      if (location !== undefined) places.push({ script, location });
    }
    const { log, condition } = logPoint(wish.condition);
    const wishes = places.map(({ script: { file = '' }, location: { lineNumber, columnNumber } }): Wish => {
      return { file: ending(file), line: lineNumber + 1, column: columnNumber + 1, condition };
    });
    // What its line stops at is there before it is told; a log point stops at nothing.
    const stops =
      log === undefined ? [] : places.map(({ location }, i) => this.#logPoints.begin(wishes[i] ?? {}, log, location));
    await this.#add(id, {
      wishes: log === undefined ? wishes : [],
      places,
      numbers: [],
      stop: () => {
        for (const each of stops) each();
      },
    });
    return places.map(({ location }) => location);
  }

  /** Answers by which the client knows it. */
  async setKind(wish: Wish): Promise<string> {
    const id = `kind:${++this.#last}:${wish.kind}`;
    await this.#add(id, { wishes: [wish], places: [], numbers: [], stop: () => {} });
    return id;
  }

  async setErrors(caught: Caught): Promise<void> {
    await this.remove(OF_ERRORS);
    const known = this.#ground.hello.breakpoints.map(({ id }) => id);
    const wishes = ERRORS[caught].filter((kind) => known.includes(kind)).map((kind) => ({ kind }));
    if (wishes.length > 0) await this.#add(OF_ERRORS, { wishes, places: [], numbers: [], stop: () => {} });
  }

  async setActive(isActive: boolean): Promise<void> {
    if (isActive === this.#isActive) return;
    this.#isActive = isActive;
    for (const own of this.#own.values()) await (isActive ? this.#activate(own) : this.#deactivate(own));
  }

  /** Another time machine is in the place of the one that they were set at. */
  async renew(): Promise<void> {
    for (const own of this.#own.values()) if (this.#isActive) await this.#activate(own);
  }

  async remove(id: string): Promise<void> {
    const own = this.#own.get(id);
    if (own === undefined) return;
    this.#own.delete(id);
    own.stop();
    await this.#deactivate(own);
  }

  async clear(): Promise<void> {
    for (const id of this.#own.keys()) await this.remove(id);
  }

  /** This client's, of those that have been stopped at. @param all the time machine's numbers */
  metBy(all: readonly number[]): { readonly hit: readonly string[]; readonly isOfErrors: boolean } {
    const met = [...this.#own].flatMap(([id, { numbers }]) => (numbers.some((each) => all.includes(each)) ? [id] : []));
    const hit = met.filter((id) => id !== OF_ERRORS);
    return { hit, isOfErrors: hit.length === 0 && met.length > 0 };
  }

  async #add(id: string, own: Own): Promise<void> {
    if (this.#isActive) await this.#activate(own);
    this.#own.set(id, own);
  }

  async #activate(own: Own): Promise<void> {
    const numbers: number[] = [];
    for (const wish of own.wishes) numbers.push((await this.#ground.client.request('break', wish)).id);
    own.numbers = numbers;
  }

  async #deactivate(own: Own): Promise<void> {
    const { numbers } = own;
    own.numbers = [];
    for (const id of numbers) await this.#ground.client.request('unbreak', { id });
  }
}

/** A path or URL as the end of paths and URLs. */
function ending(file: string): string {
  return file.replace(/^\//, '');
}
