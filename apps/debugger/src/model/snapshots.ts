// The snapshots of the recording, and the contents of one by class, optionally compared with another snapshot. The
// server reads a snapshot when the user selects it, which takes long the first time.
import type { ParamsOf, ResultOf } from '@turntable/time-machine/protocol';
import { ListModel } from './list-model.ts';
import type { SessionPort } from './session-port.ts';

export type ListedSnapshot = ResultOf<'snapshots'>['snapshots'][number];
export type ListedClass = ResultOf<'classes'>['classes'][number];

export interface ClassesQuery {
  readonly phase: number | undefined;
  /** The phase of the snapshot to compare with; undefined for no comparison. */
  readonly baselinePhase: number | undefined;
  /** Text that the name or file of a class must contain. */
  readonly text: string;
  readonly sort: NonNullable<ParamsOf<'classes'>['sort']>;
}

export interface SnapshotsState extends ClassesQuery {
  readonly snapshots: readonly ListedSnapshot[];
  readonly isLoaded: boolean;
  /** The classes loaded so far, with totals; undefined before the first page has arrived. */
  readonly contents: ResultOf<'classes'> | undefined;
  readonly isLoading: boolean;
  /** Why there are no contents to show. */
  readonly reason: string | undefined;
}

export const EMPTY_SNAPSHOTS: SnapshotsState = {
  phase: undefined,
  baselinePhase: undefined,
  text: '',
  sort: 'retained',
  snapshots: [],
  isLoaded: false,
  contents: undefined,
  isLoading: false,
  reason: undefined,
};

/** Number of classes loaded at once. */
const PAGE_SIZE = 200;

interface SessionFields {
  readonly snapshots: SnapshotsState;
}

export class SnapshotsModel extends ListModel<'snapshots', SessionFields> {
  constructor(session: SessionPort<SessionFields>) {
    super(session, 'snapshots');
  }

  async load(): Promise<void> {
    if (this.list.isLoaded) return;
    try {
      const { snapshots } = await this.session.request('snapshots', {});
      this.update({ snapshots, isLoaded: true });
    } catch (error) {
      this.update({ isLoaded: true, reason: (error as Error).message });
    }
  }

  async setQuery(changes: Partial<ClassesQuery>): Promise<void> {
    const previous = this.list;
    const query = { ...previous, ...changes };
    const isSameSnapshot = query.phase === previous.phase && query.baselinePhase === previous.baselinePhase;
    // Classes can be sorted by growth only if there is a baseline.
    const sort = query.baselinePhase === undefined && query.sort === 'grown' ? 'retained' : query.sort;
    this.update({ ...changes, sort, contents: isSameSnapshot ? previous.contents : undefined });
    await this.#loadPage(0);
  }

  async loadMore(): Promise<void> {
    const { contents, isLoading } = this.list;
    if (contents !== undefined && !isLoading) await this.#loadPage(contents.classes.length);
  }

  /** Cancels loading the contents of a snapshot. */
  cancel(): void {
    if (this.cancelRequest()) this.update({ reason: 'Cancelled.' });
  }

  async #loadPage(from: number): Promise<void> {
    const { phase, baselinePhase, text, sort } = this.list;
    if (phase === undefined) return;
    const matching = text === '' ? undefined : `*${text}*`;
    await this.runRequest({ reason: undefined }, async (signal) => {
      try {
        const params = { phase, baselinePhase, matching, sort, from, count: PAGE_SIZE };
        const contents = await this.session.request('classes', params, { signal });
        if (signal.aborted) return;
        const loaded = from === 0 ? [] : (this.list.contents?.classes ?? []);
        this.update({ contents: { ...contents, classes: [...loaded, ...contents.classes] } });
      } catch (error) {
        if (!signal.aborted) this.update({ reason: (error as Error).message });
      }
    });
  }
}

/** Returns the growth of a class in retained bytes since the baseline. */
export function growthOf({ current, baseline }: ListedClass): number {
  return (current?.retained ?? 0) - (baseline?.retained ?? 0);
}

const UNITS = ['B', 'KB', 'MB', 'GB'] as const;

export function formatBytes(bytes: number): string {
  let [amount, unit] = [Math.abs(bytes), 0];
  for (; amount >= 1000 && unit < UNITS.length - 1; unit++) amount /= 1000;
  const text = unit === 0 || amount >= 100 ? amount.toFixed(0) : amount.toFixed(1);
  return `${bytes < 0 ? '−' : ''}${text} ${UNITS[unit] ?? 'B'}`;
}
