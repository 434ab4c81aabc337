// Where all stand, and how they go elsewhere: every move of a client, whatever request it came by, is made here, one after the other, and ends with a `stopped` that says where that was.
import { Travel, type Direction, type Going } from '@turntable/time-machine/client';
import type { Where } from '@turntable/time-machine/protocol';
import type { Actors } from './actors.ts';
import { DapError } from './dap-error.ts';
import type { Ground } from './ground.ts';

/** Why all stand still, as the protocol has it: its own words, and others for people. */
export interface Reason {
  readonly reason: string;
  readonly description?: string | undefined;
  /** Numbers of breakpoints. */
  readonly hit?: readonly number[];
}

export type EditorGoing = Going<Reason>;

export class Journey extends Travel<Reason> {
  readonly #ground: Ground;
  readonly #actors: Actors;

  constructor(ground: Ground, actors: Actors) {
    super(ground.client, ground.hello.where, {
      begin: (title, controller) => ground.works.begin(title, controller),
      stopped: (reason) => this.stopped(reason),
      stayed: (why) => {
        ground.say(why);
        this.stopped({ reason: 'pause', description: why });
      },
    });
    this.#ground = ground;
    this.#actors = actors;
  }

  /** Gives up what is under way; otherwise only says where all stand. */
  pause(): void {
    if (this.isGoing) this.giveUp();
    else this.stopped({ reason: 'pause' });
  }

  /** Another client has gone there, and so have all. */
  moved(where: Where, by: number): void {
    this.arrived(where, { reason: 'goto', description: `client ${by} has gone here` });
  }

  stopped({ reason, description, hit = [] }: Reason): void {
    const isAtEnd = this.where.stretch === undefined;
    this.#ground.tell('stopped', {
      reason,
      description: description ?? (isAtEnd ? 'the end of the recording' : undefined),
      threadId: this.#actors.threadAt(this.where),
      allThreadsStopped: true,
      hitBreakpointIds: hit.length === 0 ? undefined : hit,
    });
  }

  /** A step of the actor that stands; of another one, to its next stretch or its last. */
  step(ids: readonly string[], direction: Direction, thread: number | undefined): EditorGoing['lead'] {
    return async (options) => {
      if (thread === undefined || thread === this.#actors.threadAt(this.where)) {
        const known = this.#ground.hello.moves;
        const id = ids.find((each) => known.some((move) => move.id === each));
        if (id === undefined) throw new DapError('TT_DAP_NOT_THERE', `the time machine has no move ${ids[0]}`);
        return this.move({ move: id, direction }, options);
      }
      const { worker, name } = this.#actors.named(thread);
      const isForward = direction === 'forward';
      const { order } = this.where;
      const from = isForward ? order + 1 : order - 1;
      const why = `${name} has no ${isForward ? 'later' : 'earlier'} stretch`;
      if (from < 1) return { found: false, why, where: this.where };
      const { stretches } = await this.#ground.client.request(
        'stretches',
        { from, count: 1, direction, worker, actor: name },
        options,
      );
      const [next] = stretches;
      return next === undefined ? { found: false, why, where: this.where } : this.to(next.position, options);
    };
  }
}
