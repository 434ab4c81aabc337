// The state of an actor, whoever's turn it is where all stand: its parts, opened one by one, what waits in its mailbox, and what differs from another place. Asked for as long as somebody looks at it.
import type { ParamsOf, ResultOf, Where } from '@turntable/time-machine/protocol';
import { Branches } from './branches.ts';
import { LastAsked } from './last-asked.ts';
import type { Actor } from './lanes.ts';
import type { AskedAt } from './origin.ts';
import type { SessionPort } from './session-port.ts';
import type { TimeLine } from './time-line.ts';
import { NO_TREE, previews, type Entry, type Tree } from './tree.ts';

export type Living = ResultOf<'population'>['actors'][number];
export type Difference = ResultOf<'difference'>;

/** As a state is told apart from others' between places. */
export interface ActorName {
  readonly worker: number;
  readonly name: string;
}

export interface ActorState {
  /** Who lives here: the first of them, and who is shown. */
  readonly living: readonly Living[];
  readonly total: number;
  /** Whose state somebody wants to see; otherwise whose turn it is. */
  readonly chosen: ActorName | undefined;
  readonly shown: Living | undefined;
  readonly tree: Tree;
  readonly mailbox: ResultOf<'mailbox'> | undefined;
  /** A position, or the turn before of the same actor. */
  readonly against: string | typeof TURN_BEFORE | undefined;
  readonly difference: Difference | undefined;
  /** Why nothing differs that could be told of. */
  readonly why: string | undefined;
  readonly isLooking: boolean;
  readonly isComparing: boolean;
}

export const TURN_BEFORE = 'the turn before';

export const NO_ACTOR: ActorState = {
  living: [],
  total: 0,
  chosen: undefined,
  shown: undefined,
  tree: { ...NO_TREE, open: new Set(['this']) },
  mailbox: undefined,
  against: undefined,
  difference: undefined,
  why: undefined,
  isLooking: false,
  isComparing: false,
};

/** Actors that are told of; messages, differences that are shown. */
const PAGE = 1000;
const MESSAGES = 50;
const DIFFERENCES = 500;

interface SessionFields {
  readonly actorState: ActorState;
  readonly where: Where | undefined;
  readonly actors: readonly Actor[];
  readonly timeLine: TimeLine | undefined;
  /** The variables of the frame that is shown. */
  readonly tree: Tree;
  readonly frame: number;
}

export class ActorStates {
  readonly parts: Branches;
  readonly #session: SessionPort<SessionFields>;
  readonly #looking: LastAsked;
  readonly #comparing: LastAsked;

  constructor(session: SessionPort<SessionFields>) {
    this.#session = session;
    this.#looking = new LastAsked(session);
    this.#comparing = new LastAsked(session);
    this.parts = new Branches(
      session,
      () => this.#state.tree,
      (tree) => this.#put({ tree }),
    );
  }

  get #state(): ActorState {
    return this.#session.state.actorState;
  }

  #put(part: Partial<ActorState>): void {
    this.#session.store.put({ actorState: { ...this.#state, ...part } });
  }

  async look(): Promise<void> {
    this.leave();
    this.#put({ isLooking: true });
    const work = async (signal: AbortSignal): Promise<void> => {
      const { living, total, shown } = await this.#find(signal);
      if (signal.aborted) return;
      const before = this.#state.shown;
      const isSame = before?.name === shown?.name && before?.worker === shown?.worker;
      const { tree } = this.#state;
      const seen = isSame && tree.roots.length > 0 ? previews(tree) : new Map<string, string>();
      const root: Entry | undefined = shown && { name: 'this', is: 'variable', isEnumerable: true, value: shown.value };
      this.#put({
        living,
        total,
        shown,
        tree: { roots: root ? [root] : [], parts: new Map(), open: tree.open, before: seen },
        mailbox: undefined,
        difference: undefined,
        why: undefined,
      });
      if (shown === undefined) return;
      const { worker, id } = shown;
      const compared = this.#compare();
      const [mailbox] = await Promise.all([
        this.#session.request('mailbox', { worker, id, count: MESSAGES }, { signal }),
        this.parts.grow(signal),
      ]);
      if (signal.aborted) return;
      this.#put({ mailbox, isLooking: false });
      await compared;
    };
    await this.#looking.ask(work, () => this.#put({ isLooking: false }));
  }

  leave(): void {
    this.#looking.stop();
    this.#comparing.stop();
    if (this.#state.isLooking || this.#state.isComparing) this.#put({ isLooking: false, isComparing: false });
  }

  cancel(): void {
    if (!this.#state.isComparing) return;
    this.#comparing.stop();
    this.#put({ isComparing: false, why: 'It was given up.' });
  }

  /** @param actor whose turn it is, if nobody is named */
  async choose(actor: ActorName | undefined): Promise<void> {
    this.#put({ chosen: actor });
    await this.look();
  }

  async compareWith(against: ActorState['against']): Promise<void> {
    this.#put({ against, difference: undefined, why: undefined });
    await this.#compare();
  }

  /** Where and of whom a part of the state is asked about: where all stand, of the actor that is shown. */
  get asked(): AskedAt | undefined {
    const { where } = this.#session.state;
    const { shown } = this.#state;
    if (where === undefined || shown === undefined) return undefined;
    const { position } = where;
    return this.#isThis(shown) ? { position } : { position, of: { worker: shown.worker, actor: shown.name } };
  }

  /** Whether the statement here has the actor as `this`, as far as can be seen: that is known soonest. */
  #isThis({ value, worker, name }: Living): boolean {
    const { tree, frame, where } = this.#session.state;
    const { stretch } = where ?? {};
    const own = tree.roots.find((each) => each.name === 'this')?.value;
    const isOwn = frame === 0 && stretch?.worker === worker && stretch.actor === name;
    return isOwn && value !== undefined && own?.class === value.class && own?.preview === value.preview;
  }

  async #find(signal: AbortSignal): Promise<Pick<ActorState, 'living' | 'total' | 'shown'>> {
    const { where } = this.#session.state;
    const { stretch } = where ?? {};
    const { chosen = stretch && { worker: stretch.worker, name: stretch.actor } } = this.#state;
    const isMeant = ({ worker, name }: Living): boolean => worker === chosen?.worker && name === chosen?.name;
    const ask = (wish: ParamsOf<'population'>): Promise<ResultOf<'population'>> =>
      this.#session.request('population', wish, { signal });
    // There may be many: those that are proposed, and the one that is meant.
    const [{ actors, total }, named] = await Promise.all([
      ask({ count: PAGE }),
      chosen === undefined ? undefined : ask({ actor: chosen.name, count: PAGE }),
    ]);
    // Nobody's turn, or a main program's: then any.
    const meant = actors.find(isMeant) ?? named?.actors.find(isMeant);
    const living = meant === undefined || actors.includes(meant) ? actors : [...actors, meant];
    const shown = meant ?? (this.#state.chosen === undefined ? living[0] : undefined);
    return { living, total, shown };
  }

  async #compare(): Promise<void> {
    this.#comparing.stop();
    const { shown, against } = this.#state;
    if (shown === undefined || against === undefined) return;
    const from = against === TURN_BEFORE ? this.#turnBefore(shown) : against;
    if (from === undefined) {
      this.#put({ difference: undefined, why: `${shown.name} has had no turn before.` });
      return;
    }
    this.#put({ isComparing: true, difference: undefined, why: undefined });
    const work = async (signal: AbortSignal): Promise<void> => {
      try {
        const wish = { from, actor: shown.name, count: DIFFERENCES };
        const difference = await this.#session.request('difference', wish, { signal });
        if (!signal.aborted) this.#put({ difference });
      } catch (error) {
        if (!signal.aborted) this.#put({ why: (error as Error).message });
      }
    };
    await this.#comparing.ask(work, () => this.#put({ isComparing: false }));
  }

  /** The beginning of the last turn that it has begun before here. */
  #turnBefore({ worker, name }: Living): string | undefined {
    const { where, timeLine, actors } = this.#session.state;
    const lane = actors.findIndex((each) => each.worker === worker && each.name === name);
    if (where === undefined || timeLine === undefined || lane === -1) return undefined;
    const isInside = where.position.includes(':');
    const before = timeLine.lane(lane).findLast((order) => order < where.order || (order === where.order && isInside));
    return before === undefined ? undefined : String(before);
  }
}
