// What the program printed: what came before the place, and fainter what is still to come; each line leads to the statement that has printed it.
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { isIn, type Focus } from '../model/focus.ts';
import { lineText, type ToldMark } from '../model/output.ts';
import type { Session } from '../model/session.ts';
import { onArrows } from './arrow-keys.ts';
import { timeText } from './time-line/ticks.ts';
import { useSelected } from './use-selected.ts';

export function OutputList({ session }: { readonly session: Session }): JSX.Element {
  const its = useSelected(session, (state) => state.output);
  const order = useSelected(session, (state) => state.where?.order);
  const focus = useSelected(session, (state) => state.focus);
  const all = useMemo(() => its.all.filter((each) => isIn(focus, each.order)), [its.all, focus]);
  const begins = useSelected(session, (state) => state.hello?.begins) ?? 0;
  const isThere = useSelected(session, ({ stage }) => stage === 'loading' || stage === 'ready');
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    if (isThere) void session.output.look();
  }, [session, isThere, order, focus]);
  const at = order ?? 0;
  const last = all.findLastIndex((each) => each.order <= at);
  useEffect(() => {
    // The last one that was printed by then.
    const line = list.current?.querySelectorAll('.line')[Math.max(0, last)];
    if (list.current === null || line === undefined) return;
    const [own, whole] = [line.getBoundingClientRect(), list.current.getBoundingClientRect()];
    list.current.scrollTop += Math.min(0, own.top - whole.top) + Math.max(0, own.bottom - whole.bottom);
  }, [last, all]);
  const more = (direction: 'forward' | 'backward', text: string): JSX.Element => (
    <li class="more">
      <button type="button" class="link" disabled={its.isAsking} onClick={() => void session.output.more(direction)}>
        {text}
      </button>
    </li>
  );
  return (
    <>
      <ol class="list lines" aria-label="What the program printed" ref={list} onKeyDown={onArrows}>
        {its.isMoreBefore && more('backward', 'Earlier output')}
        {all.map((line, i) => (
          <Line
            key={`${line.order} ${i}`}
            line={line}
            begins={begins}
            isHere={line.order === at}
            isAhead={line.order > at}
            onGo={() => void session.output.goTo(line)}
          />
        ))}
        {its.isMoreBehind && more('forward', 'Later output')}
      </ol>
      {all.length === 0 && (
        <p class="empty" role="status">
          {its.isKnown && !its.isAsking ? whyNone(focus) : 'Looking for what was printed…'}
        </p>
      )}
    </>
  );
}

function whyNone(focus: Focus | undefined): string {
  return focus === undefined ? 'This program prints nothing.' : 'Nothing was printed in the piece that you look at.';
}

interface LineProps {
  readonly line: ToldMark;
  readonly begins: number;
  readonly isHere: boolean;
  /** It is not printed yet. */
  readonly isAhead: boolean;
  readonly onGo: () => void;
}

function Line({ line, begins, isHere, isAhead, onGo }: LineProps): JSX.Element {
  const { kind, time } = line;
  return (
    <li class={`row line is-${kind}${isHere ? ' is-here' : ''}${isAhead ? ' is-ahead' : ''}`}>
      <button
        type="button"
        class="row-main"
        aria-current={isHere ? 'true' : undefined}
        title={isAhead ? 'Go to where it will be printed' : 'Go to where it was printed'}
        onClick={onGo}
      >
        <span class="quiet">{timeText(time - begins)}</span>
        <span class="line-text">{lineText(line)}</span>
      </button>
    </li>
  );
}
