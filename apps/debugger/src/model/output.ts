// What the program printed, around the place: what came before it, and what is still to come. Asked for as long as somebody looks.
import type { ParamsOf, ResultOf, Where } from '@turntable/time-machine/protocol';
import { AskedList } from './asked-list.ts';
import type { Focus } from './focus.ts';
import type { SessionPort } from './session-port.ts';

export type ToldMark = ResultOf<'marks'>['marks'][number];

export interface OutputList {
  readonly all: readonly ToldMark[];
  /** Whether there is more before the first and behind the last of these. */
  readonly isMoreBefore: boolean;
  readonly isMoreBehind: boolean;
  /** The piece of the recording that they are of. */
  readonly focus: Focus | undefined;
  readonly isKnown: boolean;
  readonly isAsking: boolean;
}

export const NO_OUTPUT: OutputList = {
  all: [],
  isMoreBefore: false,
  isMoreBehind: false,
  focus: undefined,
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
/** Codes by which terminals colour what they show. */
// oxlint-disable-next-line no-control-regex -- that is what they begin with
const COLOURS = /\u001B\[[\d;]*m/g;

interface SessionFields {
  readonly output: OutputList;
  readonly focus: Focus | undefined;
  readonly where: Where | undefined;
  readonly hello: ResultOf<'hello'> | undefined;
}

export class Output extends AskedList<'output', SessionFields> {
  constructor(session: SessionPort<SessionFields>) {
    super(session, 'output');
  }

  /** Around the place, unless that is there: in the piece that views show. */
  async look(): Promise<void> {
    const { all, isMoreBefore, isMoreBehind, isKnown, focus: shown } = this.list;
    const { where, focus } = this.session.state;
    if (where === undefined) return;
    const order = Math.max(focus?.from ?? 1, Math.min(where.order, focus?.to ?? where.order));
    const isBeyond =
      (isMoreBefore && order < (all[0]?.order ?? 0)) || (isMoreBehind && order > (all.at(-1)?.order ?? Infinity));
    if (isKnown && !isBeyond && shown === focus) return;
    await this.ask({ focus }, async (signal) => {
      const [before, behind] = await Promise.all([
        this.#marks(signal, focus, { from: order, count: BEFORE, direction: 'backward' }),
        this.#marks(signal, focus, { from: order + 1, count: BEHIND }),
      ]);
      if (signal.aborted) return;
      this.put({
        all: [...before.marks.toReversed(), ...behind.marks],
        isMoreBefore: before.next !== undefined,
        isMoreBehind: behind.next !== undefined,
        isKnown: true,
      });
    });
  }

  /** Before the first line, or behind the last one. */
  async more(direction: 'forward' | 'backward'): Promise<void> {
    const { all, focus } = this.list;
    const [first, last] = [all[0]?.order ?? 1, all.at(-1)?.order ?? 0];
    const isForward = direction === 'forward';
    if (!isForward && first <= 1) return;
    const wish = { from: isForward ? last + 1 : first - 1, count: BEFORE, direction };
    await this.ask({ focus }, async (signal) => {
      const { marks, next } = await this.#marks(signal, focus, wish);
      if (signal.aborted) return;
      if (isForward) this.put({ all: [...all, ...marks], isMoreBehind: next !== undefined });
      else this.put({ all: [...marks.toReversed(), ...all], isMoreBefore: next !== undefined });
    });
  }

  #marks(
    signal: AbortSignal,
    focus: Focus | undefined,
    wish: Pick<ParamsOf<'marks'>, 'from' | 'count' | 'direction'>,
  ): Promise<ResultOf<'marks'>> {
    const its = { kinds: this.#kinds, first: focus?.from, last: focus?.to, ...wish };
    return this.session.request('marks', its, { signal });
  }

  get #kinds(): MarkKind[] {
    return this.session.state.hello?.marks.flatMap(({ id, isOutput }) => (isOutput ? [id as MarkKind] : [])) ?? [];
  }

  /** To the statement that has printed it, if that can be found; otherwise to its turn. */
  async goTo(line: ToldMark): Promise<void> {
    await this.session.goTo((await this.#statementOf(line)) ?? line.position);
  }

  async #statementOf(line: ToldMark): Promise<string | undefined> {
    const { hello } = this.session.state;
    if (hello?.statements !== true || !hello.moves.some(({ id }) => id === PRINTING) || line.text === undefined)
      return undefined;
    const matching = firstOf(line);
    const alike = this.list.all.filter((each) => each.order === line.order && firstOf(each) === matching);
    let { position } = line;
    try {
      for (let passed = 0; passed <= Math.min(alike.indexOf(line), MOST_LOOKED_AT); passed++) {
        const wish = { move: PRINTING, arguments: { matching }, from: position };
        const { found, where } = await this.session.request('find', wish);
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

export function lineText({ value, text }: Pick<ToldMark, 'value' | 'text'>): string {
  if (text !== undefined) return text.replaceAll(COLOURS, '');
  return typeof value === 'string' ? value : `${value.toLocaleString('en-US')} bytes, which were not noted`;
}
