// The state of an actor at the current position: its object, its mailbox, and the differences from its state at another
// position. Loaded only while its view is visible.
import type { ParamsOf, ResultOf, CursorInfo } from '@turntable/time-machine/protocol';
import { TreeExpander } from './tree-expander.ts';
import { LatestRequest } from './latest-request.ts';
import type { TimelineActor } from './lanes.ts';
import type { ValueContext } from './write-history.ts';
import type { SessionPort } from './session-port.ts';
import type { Timeline } from './timeline.ts';
import { EMPTY_TREE, previewsByPath, type TreeEntry, type ValueTree } from './value-tree.ts';

export type ListedActor = ResultOf<'liveActors'>['actors'][number];
export type StateDifference = ResultOf<'difference'>;

/** Identifies an actor at all positions at which it exists. */
export interface ActorIdentity {
  readonly worker: number;
  readonly name: string;
}

export interface ActorState {
  /** Live actors: the first page of the server's list, and the shown actor. */
  readonly actors: readonly ListedActor[];
  readonly total: number;
  /** The actor chosen by the user; undefined to show the actor of the current task. */
  readonly selected: ActorIdentity | undefined;
  readonly shown: ListedActor | undefined;
  readonly tree: ValueTree;
  readonly mailbox: ResultOf<'mailbox'> | undefined;
  /** The position to compare with, or the start of the actor's previous turn; undefined for no comparison. */
  readonly baseline: string | typeof PREVIOUS_TURN | undefined;
  readonly difference: StateDifference | undefined;
  /** Why there is no difference to show; undefined while it is loading and when it is shown. */
  readonly reason: string | undefined;
  readonly isLoading: boolean;
  readonly isComparing: boolean;
}

export const PREVIOUS_TURN = 'the turn before';

export const EMPTY_ACTOR_STATE: ActorState = {
  actors: [],
  total: 0,
  selected: undefined,
  shown: undefined,
  tree: { ...EMPTY_TREE, openPaths: new Set(['this']) },
  mailbox: undefined,
  baseline: undefined,
  difference: undefined,
  reason: undefined,
  isLoading: false,
  isComparing: false,
};

/** Maximum numbers of actors requested at once, and of messages and differences shown. */
const PAGE_SIZE = 1000;
const MAX_MESSAGES = 50;
const MAX_DIFFERENCES = 500;

interface SessionFields {
  readonly actorState: ActorState;
  readonly cursor: CursorInfo | undefined;
  readonly actors: readonly TimelineActor[];
  readonly timeline: Timeline | undefined;
  /** The variables of the selected frame, among which the actor may be `this`. */
  readonly tree: ValueTree;
  readonly frameIndex: number;
}

export class ActorStateModel {
  readonly expander: TreeExpander;
  readonly #session: SessionPort<SessionFields>;
  readonly #loading: LatestRequest;
  readonly #comparison: LatestRequest;

  constructor(session: SessionPort<SessionFields>) {
    this.#session = session;
    this.#loading = new LatestRequest(session);
    this.#comparison = new LatestRequest(session);
    this.expander = new TreeExpander(
      session,
      () => this.#state.tree,
      (tree) => this.#update({ tree }),
    );
  }

  get #state(): ActorState {
    return this.#session.state.actorState;
  }

  #update(changes: Partial<ActorState>): void {
    this.#session.store.update({ actorState: { ...this.#state, ...changes } });
  }

  async load(): Promise<void> {
    this.stopLoading();
    this.#update({ isLoading: true });
    const work = async (signal: AbortSignal): Promise<void> => {
      const { actors, total, shown } = await this.#loadActors(signal);
      if (signal.aborted) return;
      const previous = this.#state.shown;
      const isSame = previous?.name === shown?.name && previous?.worker === shown?.worker;
      const { tree } = this.#state;
      const previousPreviews = isSame && tree.roots.length > 0 ? previewsByPath(tree) : new Map<string, string>();
      const root: TreeEntry | undefined = shown && {
        name: 'this',
        kind: 'variable',
        isEnumerable: true,
        value: shown.value,
      };
      this.#update({
        actors,
        total,
        shown,
        tree: { roots: root ? [root] : [], parts: new Map(), openPaths: tree.openPaths, previousPreviews },
        mailbox: undefined,
        difference: undefined,
        reason: undefined,
      });
      if (shown === undefined) return;
      const { worker, id } = shown;
      const comparison = this.#compare();
      const [mailbox] = await Promise.all([
        this.#session.request('mailbox', { worker, id, count: MAX_MESSAGES }, { signal }),
        this.expander.loadOpen(signal),
      ]);
      if (signal.aborted) return;
      this.#update({ mailbox, isLoading: false });
      await comparison;
    };
    await this.#loading.run(work, () => this.#update({ isLoading: false }));
  }

  stopLoading(): void {
    this.#loading.cancel();
    this.#comparison.cancel();
    if (this.#state.isLoading || this.#state.isComparing) this.#update({ isLoading: false, isComparing: false });
  }

  cancelComparison(): void {
    if (!this.#state.isComparing) return;
    this.#comparison.cancel();
    this.#update({ isComparing: false, reason: 'Cancelled.' });
  }

  /** Shows another actor. @param actor undefined for the actor of the current task */
  async select(actor: ActorIdentity | undefined): Promise<void> {
    this.#update({ selected: actor });
    await this.load();
  }

  async compareWith(baseline: ActorState['baseline']): Promise<void> {
    this.#update({ baseline, difference: undefined, reason: undefined });
    await this.#compare();
  }

  /** Context in which expressions for parts of the state are evaluated: the current position and the shown actor. */
  get valueContext(): ValueContext | undefined {
    const { cursor } = this.#session.state;
    const { shown } = this.#state;
    if (cursor === undefined || shown === undefined) return undefined;
    const { position } = cursor;
    return this.#isFrameThis(shown)
      ? { position }
      : { position, thisActor: { worker: shown.worker, actor: shown.name } };
  }

  /** Whether the actor is probably `this` of the current frame, so that expressions can be evaluated in the frame. */
  #isFrameThis({ value, worker, name }: ListedActor): boolean {
    const { tree, frameIndex, cursor } = this.#session.state;
    const { task } = cursor ?? {};
    const frameThis = tree.roots.find((each) => each.name === 'this')?.value;
    const isTopFrame = frameIndex === 0 && task?.worker === worker && task.actor === name;
    return (
      isTopFrame && value !== undefined && frameThis?.class === value.class && frameThis?.preview === value.preview
    );
  }

  async #loadActors(signal: AbortSignal): Promise<Pick<ActorState, 'actors' | 'total' | 'shown'>> {
    const { cursor } = this.#session.state;
    const { task } = cursor ?? {};
    const { selected = task && { worker: task.worker, name: task.actor } } = this.#state;
    const isSelected = ({ worker, name }: ListedActor): boolean =>
      worker === selected?.worker && name === selected?.name;
    const request = (params: ParamsOf<'liveActors'>): Promise<ResultOf<'liveActors'>> =>
      this.#session.request('liveActors', params, { signal });
    // A long list is not loaded as a whole: only its first page, and the selected actor if that is on another page.
    const [{ actors: firstActors, total }, selectedPage] = await Promise.all([
      request({ count: PAGE_SIZE }),
      selected === undefined ? undefined : request({ actor: selected.name, count: PAGE_SIZE }),
    ]);
    // While a callback runs, or at the end, no actor is current: the first one is shown.
    const match = firstActors.find(isSelected) ?? selectedPage?.actors.find(isSelected);
    const actors = match === undefined || firstActors.includes(match) ? firstActors : [...firstActors, match];
    const shown = match ?? (this.#state.selected === undefined ? actors[0] : undefined);
    return { actors, total, shown };
  }

  async #compare(): Promise<void> {
    this.#comparison.cancel();
    const { shown, baseline } = this.#state;
    if (shown === undefined || baseline === undefined) return;
    const baselinePosition = baseline === PREVIOUS_TURN ? this.#previousTurn(shown) : baseline;
    if (baselinePosition === undefined) {
      this.#update({ difference: undefined, reason: `${shown.name} has no earlier turn.` });
      return;
    }
    this.#update({ isComparing: true, difference: undefined, reason: undefined });
    const work = async (signal: AbortSignal): Promise<void> => {
      try {
        const params = { from: baselinePosition, actor: shown.name, count: MAX_DIFFERENCES };
        const difference = await this.#session.request('difference', params, { signal });
        if (!signal.aborted) this.#update({ difference });
      } catch (error) {
        if (!signal.aborted) this.#update({ reason: (error as Error).message });
      }
    };
    await this.#comparison.run(work, () => this.#update({ isComparing: false }));
  }

  /** Returns the start of the actor's last task before the current position, as the task's order. */
  #previousTurn({ worker, name }: ListedActor): string | undefined {
    const { cursor, timeline, actors } = this.#session.state;
    const lane = actors.findIndex((each) => each.worker === worker && each.name === name);
    if (cursor === undefined || timeline === undefined || lane === -1) return undefined;
    const isInTask = cursor.position.includes(':');
    const previousOrder = timeline
      .lane(lane)
      .findLast((order) => order < cursor.order || (order === cursor.order && isInTask));
    return previousOrder === undefined ? undefined : String(previousOrder);
  }
}
