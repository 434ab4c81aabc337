// Promises that somebody waits for where all stand, and from one to what it waits for, as far as that goes. Asked for as long as somebody looks: their numbers are good for one place.
import type { ResultOf, Where } from '@turntable/time-machine/protocol';
import { AskedList } from './asked-list.ts';
import { LastAsked } from './last-asked.ts';
import type { SessionPort } from './session-port.ts';

export type ToldPromise = ResultOf<'promises'>['promises'][number];

export interface PromiseList {
  readonly all: readonly ToldPromise[];
  readonly total: number;
  readonly position: string | undefined;
  readonly isAsking: boolean;
  /** The number of the one of which is shown what it waits for. */
  readonly chosen: number | undefined;
  /** That one first; nothing until it is known. */
  readonly way: readonly ToldPromise[] | undefined;
}

export const NO_PROMISES: PromiseList = {
  all: [],
  total: 0,
  position: undefined,
  isAsking: false,
  chosen: undefined,
  way: undefined,
};

/** Promises that are asked for at once; steps of a way. */
const PAGE = 100;
const STEPS = 200;

interface SessionFields {
  readonly promises: PromiseList;
  readonly where: Where | undefined;
}

export class Promises extends AskedList<'promises', SessionFields> {
  readonly #chosen: LastAsked;

  constructor(session: SessionPort<SessionFields>) {
    super(session, 'promises');
    this.#chosen = new LastAsked(session);
  }

  async look(): Promise<void> {
    const position = this.session.state.where?.position;
    this.#chosen.stop();
    await this.ask({}, async (signal) => {
      const { promises, total } = await this.session.request('promises', { count: PAGE }, { signal });
      if (!signal.aborted) this.put({ all: promises, total, position, chosen: undefined, way: undefined });
    });
  }

  async more(): Promise<void> {
    const from = this.list.all.length;
    await this.ask({}, async (signal) => {
      const { promises, total } = await this.session.request('promises', { from, count: PAGE }, { signal });
      if (!signal.aborted) this.put({ all: [...this.list.all, ...promises], total });
    });
  }

  leave(): void {
    this.giveUp();
    this.#chosen.stop();
  }

  /** What it waits for; of none if it was shown. @param id its number */
  async choose(id: number): Promise<void> {
    const isShown = this.list.chosen === id;
    this.#chosen.stop();
    this.put({ chosen: isShown ? undefined : id, way: undefined });
    if (isShown) return;
    await this.#chosen.ask(
      async (signal) => {
        const { promises } = await this.session.request('promises', { of: id, count: STEPS }, { signal });
        if (!signal.aborted) this.put({ way: promises });
      },
      () => {
        // It has failed, and was told of.
        if (this.list.way === undefined) this.put({ chosen: undefined });
      },
    );
  }
}

/** One that another one waits for. */
export interface WayStep {
  readonly promise: ToldPromise;
  /** How many wait for it on the way from the first one. */
  readonly depth: number;
  /** What it waits for is said of it further up. */
  readonly isAgain: boolean;
  /** It waits for itself. */
  readonly isCircle: boolean;
}

/** What the first one waits for, each with what it waits for itself below it. */
export function wayFrom(all: readonly ToldPromise[]): WayStep[] {
  const byId = new Map(all.map((each) => [each.value.id, each]));
  const seen = new Set<ToldPromise>();
  const steps: WayStep[] = [];
  const add = (promise: ToldPromise, above: readonly ToldPromise[]): void => {
    const isAgain = seen.has(promise);
    steps.push({ promise, depth: above.length, isAgain, isCircle: above.includes(promise) });
    if (isAgain) return;
    seen.add(promise);
    for (const id of promise.on) {
      const next = byId.get(id);
      if (next !== undefined) add(next, [...above, promise]);
    }
  };
  if (all[0] !== undefined) add(all[0], []);
  return steps;
}

/** Why it is not settled, in words. Nothing where others have to be settled first. */
export function whyPending({ why, on }: ToldPromise): string | undefined {
  return why ?? (on.length === 0 ? 'Nothing is known that would settle it.' : undefined);
}
