// The program's output before and after the current position, and the move to the statement that printed a line.
// Loaded only while its view is visible.
import { textMatcher } from '@turntable/time-machine/client';
import type { ParamsOf, ResultOf, CursorInfo } from '@turntable/time-machine/protocol';
import { ListModel } from './list-model.ts';
import type { Focus } from './focus.ts';
import type { SessionPort } from './session-port.ts';

export type OutputLine = ResultOf<'events'>['events'][number];

export interface OutputState {
  readonly lines: readonly OutputLine[];
  /** Whether there are lines before the first and after the last that are not loaded. */
  readonly hasEarlier: boolean;
  readonly hasLater: boolean;
  /** The focus when the lines were loaded. */
  readonly focus: Focus | undefined;
  readonly isLoaded: boolean;
  readonly isLoading: boolean;
}

export const EMPTY_OUTPUT: OutputState = {
  lines: [],
  hasEarlier: false,
  hasLater: false,
  focus: undefined,
  isLoaded: false,
  isLoading: false,
};

type OutputEventKind = ParamsOf<'events'>['kinds'][number];

/** Numbers of lines loaded at once: before a position, and after it. */
const MAX_LINES_BEFORE = 300;
const MAX_LINES_AFTER = 100;
/** Id of the move to a statement that printed output. */
const OUTPUT_MOVE = 'output';
/** Maximum number of statements that are skipped because they printed a text that contains the same. */
const MAX_SEARCHED_STATEMENTS = 20;
/** Escape sequences with which programs set colours in a terminal. */
// oxlint-disable-next-line no-control-regex -- the codes start with the escape character
const ANSI_COLOURS = /\u001B\[[\d;]*m/g;

interface SessionFields {
  readonly output: OutputState;
  readonly focus: Focus | undefined;
  readonly cursor: CursorInfo | undefined;
  readonly hello: ResultOf<'hello'> | undefined;
}

export class OutputModel extends ListModel<'output', SessionFields> {
  constructor(session: SessionPort<SessionFields>) {
    super(session, 'output');
  }

  /** Loads the lines around the current position, unless they are loaded for the current focus. */
  async load(): Promise<void> {
    const { lines, hasEarlier, hasLater, isLoaded, focus: shownFocus } = this.list;
    const { cursor, focus } = this.session.state;
    if (cursor === undefined) return;
    const order = Math.max(focus?.from ?? 1, Math.min(cursor.order, focus?.to ?? cursor.order));
    const isOutOfRange =
      (hasEarlier && order < (lines[0]?.order ?? 0)) || (hasLater && order > (lines.at(-1)?.order ?? Infinity));
    if (isLoaded && !isOutOfRange && shownFocus === focus) return;
    await this.runRequest({ focus }, async (signal) => {
      const [earlier, later] = await Promise.all([
        this.#requestEvents(signal, focus, { from: order, count: MAX_LINES_BEFORE, direction: 'backward' }),
        this.#requestEvents(signal, focus, { from: order + 1, count: MAX_LINES_AFTER }),
      ]);
      if (signal.aborted) return;
      this.update({
        lines: [...earlier.events.toReversed(), ...later.events],
        hasEarlier: earlier.next !== undefined,
        hasLater: later.next !== undefined,
        isLoaded: true,
      });
    });
  }

  /** Loads the lines before the first or after the last one. */
  async loadMore(direction: 'forward' | 'backward'): Promise<void> {
    const { lines, focus } = this.list;
    const [first, last] = [lines[0]?.order ?? 1, lines.at(-1)?.order ?? 0];
    const isForward = direction === 'forward';
    if (!isForward && first <= 1) return;
    const page = { from: isForward ? last + 1 : first - 1, count: MAX_LINES_BEFORE, direction };
    await this.runRequest({ focus }, async (signal) => {
      const { events, next } = await this.#requestEvents(signal, focus, page);
      if (signal.aborted) return;
      if (isForward) this.update({ lines: [...lines, ...events], hasLater: next !== undefined });
      else this.update({ lines: [...events.toReversed(), ...lines], hasEarlier: next !== undefined });
    });
  }

  #requestEvents(
    signal: AbortSignal,
    focus: Focus | undefined,
    page: Pick<ParamsOf<'events'>, 'from' | 'count' | 'direction'>,
  ): Promise<ResultOf<'events'>> {
    const params = { kinds: this.#outputKinds, firstTask: focus?.from, lastTask: focus?.to, ...page };
    return this.session.request('events', params, { signal });
  }

  get #outputKinds(): OutputEventKind[] {
    return (
      this.session.state.hello?.eventKinds.flatMap(({ id, isOutput }) => (isOutput ? [id as OutputEventKind] : [])) ??
      []
    );
  }

  /** Moves to the statement that printed a line, or to the start of its task if the statement is not found. */
  async moveToLine(line: OutputLine): Promise<void> {
    await this.session.moveTo((await this.#statementPosition(line)) ?? line.position);
  }

  async #statementPosition(line: OutputLine): Promise<string | undefined> {
    const { hello } = this.session.state;
    if (hello?.canStep !== true || !hello.moves.some(({ id }) => id === OUTPUT_MOVE) || line.text === undefined)
      return undefined;
    const firstLine = firstLineOf(line);
    // The filter finds every line that contains the text.
    const matches = textMatcher(firstLine.trim());
    const foundLines = this.list.lines.filter((each) => each.order === line.order && matches(firstLineOf(each)));
    let { position } = line;
    try {
      for (let skipped = 0; skipped <= Math.min(foundLines.indexOf(line), MAX_SEARCHED_STATEMENTS); skipped++) {
        const params = { move: OUTPUT_MOVE, arguments: { text: firstLine }, from: position };
        const { found, cursor } = await this.session.request('find', params);
        if (!found || cursor.order !== line.order) return undefined;
        ({ position } = cursor);
      }
    } catch {
      // The line's task can still be shown.
      return undefined;
    }
    return position;
  }
}

function firstLineOf({ text = '' }: OutputLine): string {
  return text.split('\n', 1)[0] ?? '';
}

export function lineText({ value, text }: Pick<OutputLine, 'value' | 'text'>): string {
  if (text !== undefined) return text.replaceAll(ANSI_COLOURS, '');
  return typeof value === 'string' ? value : `${value.toLocaleString('en-US')} bytes, text not recorded`;
}
