// The program's output: lines printed up to the current position, and later lines in a faint colour. A click on a line
// moves to the statement that printed it.
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { isInFocus, type Focus } from '../model/focus.ts';
import { lineText, type OutputLine } from '../model/output.ts';
import type { DebuggerSession } from '../model/debugger-session.ts';
import { onArrowKeys } from './arrow-keys.ts';
import { formatTime } from './timeline/ticks.ts';
import { useSelector } from './use-selector.ts';

export function OutputView({ session }: { readonly session: DebuggerSession }): JSX.Element {
  const output = useSelector(session, (state) => state.output);
  const order = useSelector(session, (state) => state.cursor?.order);
  const focus = useSelector(session, (state) => state.focus);
  const lines = useMemo(() => output.lines.filter((each) => isInFocus(focus, each.order)), [output.lines, focus]);
  const startTime = useSelector(session, (state) => state.hello?.startTime) ?? 0;
  const isConnected = useSelector(session, ({ stage }) => stage === 'loading' || stage === 'ready');
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    if (isConnected) void session.output.load();
  }, [session, isConnected, order, focus]);
  const currentOrder = order ?? 0;
  const last = lines.findLastIndex((each) => each.order <= currentOrder);
  useEffect(() => {
    // Scroll to the last line that was printed up to the current position.
    const line = list.current?.querySelectorAll('.line')[Math.max(0, last)];
    if (list.current === null || line === undefined) return;
    const [lineRect, listRect] = [line.getBoundingClientRect(), list.current.getBoundingClientRect()];
    list.current.scrollTop += Math.min(0, lineRect.top - listRect.top) + Math.max(0, lineRect.bottom - listRect.bottom);
  }, [last, lines]);
  const moreButton = (direction: 'forward' | 'backward', text: string): JSX.Element => (
    <li class="more">
      <button
        type="button"
        class="link"
        disabled={output.isLoading}
        onClick={() => void session.output.loadMore(direction)}
      >
        {text}
      </button>
    </li>
  );
  return (
    <>
      <ol class="list lines" aria-label="Output" ref={list} onKeyDown={onArrowKeys}>
        {output.hasEarlier && moreButton('backward', 'Earlier output')}
        {lines.map((line, i) => (
          <OutputRow
            key={`${line.order} ${i}`}
            line={line}
            startTime={startTime}
            isCurrent={line.order === currentOrder}
            isFuture={line.order > currentOrder}
            onMove={() => void session.output.moveToLine(line)}
          />
        ))}
        {output.hasLater && moreButton('forward', 'Later output')}
      </ol>
      {lines.length === 0 && (
        <p class="empty" role="status">
          {output.isLoaded && !output.isLoading ? emptyReason(focus) : 'Loading output…'}
        </p>
      )}
    </>
  );
}

function emptyReason(focus: Focus | undefined): string {
  return focus === undefined ? 'The program printed nothing.' : 'No output in the selected range.';
}

interface OutputRowProps {
  readonly line: OutputLine;
  readonly startTime: number;
  readonly isCurrent: boolean;
  /** Whether the line is printed after the current position. */
  readonly isFuture: boolean;
  readonly onMove: () => void;
}

function OutputRow({ line, startTime, isCurrent, isFuture, onMove }: OutputRowProps): JSX.Element {
  const { kind, time } = line;
  return (
    <li class={`row line is-${kind}${isCurrent ? ' is-current' : ''}${isFuture ? ' is-after-cursor' : ''}`}>
      <button
        type="button"
        class="row-main"
        aria-current={isCurrent ? 'true' : undefined}
        title="Go to the statement that prints this"
        onClick={onMove}
      >
        <span class="quiet">{formatTime(time - startTime)}</span>
        <span class="line-text">{lineText(line)}</span>
      </button>
    </li>
  );
}
