// Where all stand, and how they go elsewhere: every move of a client, whatever request it came by, is made here, one after the other, and ends with a `stopped` that says where that was.
import { RequestError, type RequestOptions } from '@turntable/replay/client';
import { ERRORS, type Landed, type ParamsOf, type ToldMove, type Where } from '@turntable/replay/protocol';
import type { Actors } from './actors.ts';
import { DapError } from './dap-error.ts';
import { compareSpots, spotOf, type Ground } from './ground.ts';

export type Direction = 'forward' | 'backward';

/** Why all stand still, as the protocol has it: its own words, and others for people. */
export interface Reason {
  readonly reason: string;
  readonly description?: string | undefined;
  /** Numbers of breakpoints. */
  readonly hit?: readonly number[];
}

/** Goes somewhere. What is not found leaves all where they are. */
export type Leading = (options: RequestOptions) => Promise<Landed>;

export interface Going {
  /** What is done, while it takes long. */
  readonly title: string;
  readonly lead: Leading;
  /** Of where it has led. */
  readonly reason: (landed: Landed) => Reason;
}

export class Journey {
  readonly #ground: Ground;
  readonly #actors: Actors;
  #where: Where;
  #going: Promise<unknown> = Promise.resolve();
  #controller: AbortController | undefined;
  /** Is told before anybody else that all stand elsewhere, or that what was seen here may be otherwise. */
  onLeave: () => void = () => {};
  /** Is told when a client has been told. */
  onArrive: (before: Where, where: Where) => void = () => {};

  constructor(ground: Ground, actors: Actors) {
    this.#ground = ground;
    this.#actors = actors;
    this.#where = ground.hello.where;
  }

  get where(): Where {
    return this.#where;
  }

  get isGoing(): boolean {
    return this.#controller !== undefined;
  }

  /** Settles when the client has been told where all stand now. Rejects only where nobody can be told. @param signal gives it up */
  go(going: Going, signal?: AbortSignal): Promise<Landed> {
    const gone = this.#going.then(() => this.#go(going, signal));
    this.#going = gone.catch(() => {});
    return gone;
  }

  async #go({ title, lead, reason }: Going, signal: AbortSignal | undefined): Promise<Landed> {
    const controller = new AbortController();
    const giveUp = (): void => controller.abort();
    signal?.addEventListener('abort', giveUp);
    if (signal?.aborted === true) giveUp();
    this.#controller = controller;
    const work = this.#ground.works.begin(title, controller);
    try {
      const landed = await lead(work);
      if (landed.found) this.#arrive(landed.where, reason(landed));
      else this.#stay(landed.why ?? 'there is no such place');
      return landed;
    } catch (error) {
      const isGivenUp = error instanceof RequestError && error.code === ERRORS.cancelled;
      const why = isGivenUp ? 'given up: all stand where they stood' : (error as Error).message;
      this.#stay(why);
      return { found: false, why, where: this.#where };
    } finally {
      work.end();
      signal?.removeEventListener('abort', giveUp);
      this.#controller = undefined;
    }
  }

  /** Gives up what is under way; otherwise only says where all stand. */
  pause(): void {
    if (this.#controller === undefined) this.stopped({ reason: 'pause' });
    else this.giveUp();
  }

  giveUp(): void {
    this.#controller?.abort();
  }

  /** Another client has gone there, and so have all. */
  moved(where: Where, by: number): void {
    this.#arrive(where, { reason: 'goto', description: `client ${by} has gone here` });
  }

  #arrive(where: Where, reason: Reason): void {
    const before = this.#where;
    this.#where = where;
    this.onLeave();
    this.stopped(reason);
    this.onArrive(before, where);
  }

  #stay(why: string): void {
    this.#ground.say(why);
    this.stopped({ reason: 'pause', description: why });
  }

  stopped({ reason, description, hit = [] }: Reason): void {
    const isAtEnd = this.#where.stretch === undefined;
    this.#ground.tell('stopped', {
      reason,
      description: description ?? (isAtEnd ? 'the end of the recording' : undefined),
      threadId: this.#actors.threadAt(this.#where),
      allThreadsStopped: true,
      hitBreakpointIds: hit.length === 0 ? undefined : hit,
    });
  }

  // ── Ways there ───────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Any move that the server describes. */
  async move(params: ParamsOf<'move'>, options: RequestOptions): Promise<Landed> {
    return this.#ground.client.request('move', params, options);
  }

  find(params: ParamsOf<'find'>, options: RequestOptions): Promise<Landed> {
    return this.#ground.client.request('find', params, options);
  }

  to(position: string, options: RequestOptions): Promise<Landed> {
    return this.move({ move: 'position', arguments: { position } }, options);
  }

  /** A step of the actor that stands; of another one, to its next stretch or its last. */
  step(ids: readonly string[], direction: Direction, thread: number | undefined): Leading {
    return async (options) => {
      if (thread === undefined || thread === this.#actors.threadAt(this.#where)) {
        const known = this.#ground.hello.moves;
        const id = ids.find((each) => known.some((move) => move.id === each));
        if (id === undefined) throw new DapError('TT_DAP_NOT_THERE', `the time machine has no move ${ids[0]}`);
        return this.move({ move: id, direction }, options);
      }
      const { worker, name } = this.#actors.named(thread);
      const isForward = direction === 'forward';
      const { order } = this.#where;
      const from = isForward ? order + 1 : order - 1;
      const why = `${name} has no ${isForward ? 'later' : 'earlier'} stretch`;
      if (from < 1) return { found: false, why, where: this.#where };
      const { stretches } = await this.#ground.client.request(
        'stretches',
        { from, count: 1, direction, worker, actor: name },
        options,
      );
      const [next] = stretches;
      return next === undefined ? { found: false, why, where: this.#where } : this.to(next.position, options);
    };
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
