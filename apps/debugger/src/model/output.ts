// What the program printed, around the place: what came before it, and what is still to come. Asked for as long as somebody looks.
import type { ParamsOf, ResultOf } from '@turntable/replay/protocol';
import { LastAsked } from './last-asked.ts';
import type { Session } from './session.ts';

export type ToldMark = ResultOf<'marks'>['marks'][number];

export interface OutputList {
  /** In their order. */
  readonly all: readonly ToldMark[];
  /** Whether there is more before the first and behind the last of these. */
  readonly isMoreBefore: boolean;
  readonly isMoreBehind: boolean;
  readonly isKnown: boolean;
  readonly isAsking: boolean;
}

export const NO_OUTPUT: OutputList = {
  all: [],
  isMoreBefore: false,
  isMoreBehind: false,
  isKnown: false,
  isAsking: false,
};

type MarkKind = ParamsOf<'marks'>['kinds'][number];

/** Lines that are asked for at once, before a place and behind it. */
const BEFORE = 300;
const BEHIND = 100;
/** Moves by which the statement is found that has printed something. */
const PRINTING = 'output';
/** Statements that are looked at for that. */
const MOST_LOOKED_AT = 20;

export class Output {
  readonly #session: Session;
  readonly #asked: LastAsked;

  constructor(session: Session) {
    this.#session = session;
    this.#asked = new LastAsked(session);
  }

  get #list(): OutputList {
    return this.#session.state.output;
  }

  #put(part: Partial<OutputList>): void {
    this.#session.store.put({ output: { ...this.#list, ...part } });
  }

  /** Around the place, unless that is there. */
  async look(): Promise<void> {
    const { all, isMoreBefore, isMoreBehind, isKnown } = this.#list;
    const order = this.#session.state.where?.order;
    if (order === undefined) return;
    const isBeyond =
      (isMoreBefore && order < (all[0]?.order ?? 0)) || (isMoreBehind && order > (all.at(-1)?.order ?? Infinity));
    if (isKnown && !isBeyond) return;
    await this.#ask(async (signal) => {
      const kinds = this.#kinds;
      const [before, behind] = await Promise.all([
        this.#session.request('marks', { kinds, from: order, count: BEFORE, direction: 'backward' }, { signal }),
        this.#session.request('marks', { kinds, from: order + 1, count: BEHIND }, { signal }),
      ]);
      if (signal.aborted) return;
      this.#put({
        all: [...before.marks.toReversed(), ...behind.marks],
        isMoreBefore: before.next !== undefined,
        isMoreBehind: behind.next !== undefined,
        isKnown: true,
      });
    });
  }

  /** Before the first line, or behind the last one. */
  async more(direction: 'forward' | 'backward'): Promise<void> {
    const { all } = this.#list;
    const [first, last] = [all[0]?.order ?? 1, all.at(-1)?.order ?? 0];
    const isForward = direction === 'forward';
    if (!isForward && first <= 1) return;
    const wish = { kinds: this.#kinds, from: isForward ? last + 1 : first - 1, count: BEFORE, direction };
    await this.#ask(async (signal) => {
      const { marks, next } = await this.#session.request('marks', wish, { signal });
      if (signal.aborted) return;
      if (isForward) this.#put({ all: [...all, ...marks], isMoreBehind: next !== undefined });
      else this.#put({ all: [...marks.toReversed(), ...all], isMoreBefore: next !== undefined });
    });
  }

  async #ask(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.#put({ isAsking: true });
    await this.#asked.ask(work, () => this.#put({ isAsking: false }));
  }

  get #kinds(): MarkKind[] {
    return this.#session.state.hello?.marks.flatMap(({ id, isOutput }) => (isOutput ? [id as MarkKind] : [])) ?? [];
  }

  /** To the statement that has printed it, if that can be found; otherwise to its turn. */
  async goTo(line: ToldMark): Promise<void> {
    await this.#session.goTo((await this.#statementOf(line)) ?? line.position);
  }

  async #statementOf(line: ToldMark): Promise<string | undefined> {
    const { hello } = this.#session.state;
    if (hello?.statements !== true || !hello.moves.some(({ id }) => id === PRINTING) || line.text === undefined)
      return undefined;
    const matching = firstOf(line);
    const alike = this.#list.all.filter((each) => each.order === line.order && firstOf(each) === matching);
    let { position } = line;
    try {
      for (let passed = 0; passed <= Math.min(alike.indexOf(line), MOST_LOOKED_AT); passed++) {
        const wish = { move: PRINTING, arguments: { matching }, from: position };
        const { found, where } = await this.#session.request('find', wish);
        if (!found || where.order !== line.order) return undefined;
        ({ position } = where);
      }
    } catch {
      // Its turn can be gone to.
      return undefined;
    }
    return position;
  }
}

function firstOf({ text = '' }: ToldMark): string {
  return text.split('\n', 1)[0] ?? '';
}

/** Codes by which terminals colour what they show. */
// oxlint-disable-next-line no-control-regex -- that is what they begin with
const COLOURS = /\u001B\[[\d;]*m/g;

/** As people read it. */
export function lineText({ value, text }: Pick<ToldMark, 'value' | 'text'>): string {
  if (text !== undefined) return text.replaceAll(COLOURS, '');
  return typeof value === 'string' ? value : `${value.toLocaleString('en-US')} bytes, which were not noted`;
}
