// How somebody goes about in a recording who stands at one place with all others: one move after the other, each of which can be given up, and each of which ends with where all stand then.
import type { Client, RequestOptions } from './client.ts';
import { ERRORS, type Landed, type ParamsOf, type ToldMove, type Where } from '../protocol.ts';
import { compareSpots, spotOf } from './spots.ts';

export type Direction = 'forward' | 'backward';

/** `R`: why all stand still. */
export interface Going<R> {
  /** What is done, while it takes long. */
  readonly title: string;
  /** Goes somewhere. What is not found leaves all where they are. */
  readonly lead: (options: RequestOptions) => Promise<Landed>;
  /** Of where it has led. */
  readonly reason: (landed: Landed) => R;
}

/** What takes long, as somebody sees it. */
export interface Working extends RequestOptions {
  end(): void;
}

export interface Traveller<R> {
  begin(title: string, controller: AbortController): Working;
  /** All stand still. */
  stopped(reason: R): void;
  /** All stand where they stood, and why. */
  stayed(why: string): void;
}

export class Travel<R> {
  readonly #client: Client;
  readonly #traveller: Traveller<R>;
  #where: Where;
  #going: Promise<unknown> = Promise.resolve();
  #controller: AbortController | undefined;
  /** Is told before anybody else that all stand elsewhere, or that what was seen here may be otherwise. */
  onLeave: () => void = () => {};
  /** Is told when it has been told that all have stopped. */
  onArrive: (before: Where, where: Where) => void = () => {};

  constructor(client: Client, where: Where, traveller: Traveller<R>) {
    this.#client = client;
    this.#where = where;
    this.#traveller = traveller;
  }

  get where(): Where {
    return this.#where;
  }

  get isGoing(): boolean {
    return this.#controller !== undefined;
  }

  /** Settles when it has been told where all stand now. Rejects only where nobody can be told. @param signal gives it up */
  go(going: Going<R>, signal?: AbortSignal): Promise<Landed> {
    const gone = this.#going.then(() => this.#go(going, signal));
    this.#going = gone.catch(() => {});
    return gone;
  }

  async #go({ title, lead, reason }: Going<R>, signal: AbortSignal | undefined): Promise<Landed> {
    const controller = new AbortController();
    const giveUp = (): void => controller.abort();
    signal?.addEventListener('abort', giveUp);
    if (signal?.aborted === true) giveUp();
    this.#controller = controller;
    const work = this.#traveller.begin(title, controller);
    try {
      const landed = await lead(work);
      if (landed.found) this.arrived(landed.where, reason(landed));
      else this.#traveller.stayed(landed.why ?? 'there is no such place');
      return landed;
    } catch (error) {
      const isGivenUp = (error as { readonly code?: unknown }).code === ERRORS.cancelled;
      const why = isGivenUp ? 'given up: all stand where they stood' : (error as Error).message;
      this.#traveller.stayed(why);
      return { found: false, why, where: this.#where };
    } finally {
      work.end();
      signal?.removeEventListener('abort', giveUp);
      this.#controller = undefined;
    }
  }

  giveUp(): void {
    this.#controller?.abort();
  }

  /** All stand there, whoever has gone. */
  arrived(where: Where, reason: R): void {
    const before = this.#where;
    this.#where = where;
    this.onLeave();
    this.#traveller.stopped(reason);
    this.onArrive(before, where);
  }

  /** Any move that the server describes. */
  async move(params: ParamsOf<'move'>, options: RequestOptions): Promise<Landed> {
    return this.#client.request('move', params, options);
  }

  find(params: ParamsOf<'find'>, options: RequestOptions): Promise<Landed> {
    return this.#client.request('find', params, options);
  }

  to(position: string, options: RequestOptions): Promise<Landed> {
    return this.move({ move: 'position', arguments: { position } }, options);
  }

  /** Of places, the nearest in a direction. */
  nearest(places: readonly Landed[], direction: Direction): Landed | undefined {
    const sign = direction === 'forward' ? 1 : -1;
    return places
      .filter(({ found }) => found)
      .toSorted((one, other) => compareSpots(spotOf(one.where), spotOf(other.where)) * sign)[0];
  }
}

/** As its button would say it. */
export function titleOf({ title }: Pick<ToldMove, 'title'>, direction: Direction | undefined): string {
  return title.replace('{next}', direction === 'backward' ? 'the previous' : 'the next');
}

/** Beyond the breakpoints. */
export function outText(direction: Direction): string {
  return direction === 'forward' ? 'the end of the recording' : 'the beginning of the recording';
}
