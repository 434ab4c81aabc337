// The snapshots of the recording, and what one holds by classes, perhaps beside another one. Looked into when somebody chooses one: that takes long the first time.
import type { ParamsOf, ResultOf } from '@turntable/time-machine/protocol';
import { AskedList } from './asked-list.ts';
import type { SessionPort } from './session-port.ts';

export type ToldSnapshot = ResultOf<'snapshots'>['snapshots'][number];
export type ToldClass = ResultOf<'classes'>['classes'][number];

export interface ClassWish {
  readonly phase: number | undefined;
  /** The one that it is compared with. */
  readonly against: number | undefined;
  /** What is in the name or the file of a class. */
  readonly text: string;
  readonly sort: NonNullable<ParamsOf<'classes'>['sort']>;
}

export interface SnapshotList extends ClassWish {
  readonly all: readonly ToldSnapshot[];
  readonly isKnown: boolean;
  /** What it holds; nothing until that is known. */
  readonly holds: ResultOf<'classes'> | undefined;
  readonly isAsking: boolean;
  /** Why it cannot be looked into. */
  readonly why: string | undefined;
}

export const NO_SNAPSHOTS: SnapshotList = {
  phase: undefined,
  against: undefined,
  text: '',
  sort: 'retained',
  all: [],
  isKnown: false,
  holds: undefined,
  isAsking: false,
  why: undefined,
};

/** Classes that are asked for at once. */
const PAGE = 200;

interface SessionFields {
  readonly snapshots: SnapshotList;
}

export class Snapshots extends AskedList<'snapshots', SessionFields> {
  constructor(session: SessionPort<SessionFields>) {
    super(session, 'snapshots');
  }

  async look(): Promise<void> {
    if (this.list.isKnown) return;
    try {
      const { snapshots } = await this.session.request('snapshots', {});
      this.put({ all: snapshots, isKnown: true });
    } catch (error) {
      this.put({ isKnown: true, why: (error as Error).message });
    }
  }

  async wish(part: Partial<ClassWish>): Promise<void> {
    const before = this.list;
    const wish = { ...before, ...part };
    const isOfSame = wish.phase === before.phase && wish.against === before.against;
    // By growth nothing can be sorted that is compared with nothing.
    const sort = wish.against === undefined && wish.sort === 'grown' ? 'retained' : wish.sort;
    this.put({ ...part, sort, holds: isOfSame ? before.holds : undefined });
    await this.#ask(0);
  }

  async more(): Promise<void> {
    const { holds, isAsking } = this.list;
    if (holds !== undefined && !isAsking) await this.#ask(holds.classes.length);
  }

  /** What takes long is given up; the snapshot is not looked into. */
  cancel(): void {
    if (this.giveUp()) this.put({ why: 'It was given up.' });
  }

  async #ask(from: number): Promise<void> {
    const { phase, against, text, sort } = this.list;
    if (phase === undefined) return;
    const matching = text === '' ? undefined : `*${text}*`;
    await this.ask({ why: undefined }, async (signal) => {
      try {
        const wish = { phase, against, matching, sort, from, count: PAGE };
        const holds = await this.session.request('classes', wish, { signal });
        if (signal.aborted) return;
        const there = from === 0 ? [] : (this.list.holds?.classes ?? []);
        this.put({ holds: { ...holds, classes: [...there, ...holds.classes] } });
      } catch (error) {
        if (!signal.aborted) this.put({ why: (error as Error).message });
      }
    });
  }
}

/** By how many bytes more it retains than in the other snapshot. */
export function growthOf({ now, before }: ToldClass): number {
  return (now?.retained ?? 0) - (before?.retained ?? 0);
}

const UNITS = ['B', 'KB', 'MB', 'GB'] as const;

export function bytesText(bytes: number): string {
  let [amount, unit] = [Math.abs(bytes), 0];
  for (; amount >= 1000 && unit < UNITS.length - 1; unit++) amount /= 1000;
  const text = unit === 0 || amount >= 100 ? amount.toFixed(0) : amount.toFixed(1);
  return `${bytes < 0 ? '−' : ''}${text} ${UNITS[unit] ?? 'B'}`;
}
