// The turns around the place, one below the other: who ran, what about, and which of them have to do with the one where one stands.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isIn, type Focus } from '../model/focus.ts';
import { lineText } from '../model/output.ts';
import type { Session } from '../model/session.ts';
import type { Stretch } from '../model/state.ts';
import { workerName } from '../model/lanes.ts';
import { Tabs } from './tabs.tsx';
import { timeText } from './time-line/ticks.ts';
import { useAsked } from './use-asked.ts';
import { useSelected } from './use-selected.ts';

/** Turns before and behind. */
const BEFORE = 60;
const BEHIND = 120;
/** What stands at a turn, as far as it is shown. */
const MOST_MARKS = 4;

export function SequenceView({ session }: { readonly session: Session }): JSX.Element {
  const order = useSelected(session, (state) => state.where?.order);
  const position = useSelected(session, (state) => state.where?.position);
  const hello = useSelected(session, (state) => state.hello);
  const timeLine = useSelected(session, (state) => state.timeLine);
  const name = useSelected(session, (state) => state.where?.stretch?.actor);
  const [isAlone, setAlone] = useState(false);
  const actor = isAlone ? name : undefined;
  const focus = useSelected(session, (state) => state.focus);
  const all = useStretches(session, order, { actor, focus });
  const list = useRef<HTMLOListElement>(null);

  useEffect(() => {
    const here = list.current?.querySelector('[aria-current="true"]');
    if (list.current === null || here == null) return;
    const [its, whole] = [here.getBoundingClientRect(), list.current.getBoundingClientRect()];
    const isSeen = its.top >= whole.top && its.bottom <= whole.bottom;
    if (!isSeen) here.scrollIntoView({ block: 'center' });
  }, [all, order]);

  const sender = order === undefined ? undefined : timeLine?.sender(order);
  const received = new Set(order === undefined ? [] : timeLine?.receivers(order));
  const relation = (each: number): string | undefined =>
    each === sender ? 'sent this' : received.has(each) ? 'came of this' : undefined;
  return (
    <section class="pane sequence" aria-label="Turns around here">
      <header class="pane-head">
        <Tabs session={session} place="left" />
      </header>
      <div class="tools">
        <label class="check" title="Only turns of this actor">
          <input
            type="checkbox"
            checked={isAlone}
            disabled={name === undefined}
            onChange={(event) => setAlone(event.currentTarget.checked)}
          />
          this actor only
        </label>
      </div>
      <ol class="list" ref={list}>
        {all.map((each) => (
          <li key={each.order}>
            <Turn
              stretch={each}
              begins={hello?.begins ?? 0}
              isHere={each.order === order}
              isWithin={each.order === order && position?.includes(':') === true}
              relation={relation(each.order)}
              onGo={() => void session.goTo(each.order)}
            />
          </li>
        ))}
      </ol>
      {all.length === 0 && (
        <p class="empty">Nothing ran here{focus === undefined ? '' : ', in the piece that you look at'}.</p>
      )}
    </section>
  );
}

interface TurnProps {
  readonly stretch: Stretch;
  readonly begins: number;
  readonly isHere: boolean;
  readonly isWithin: boolean;
  readonly relation: string | undefined;
  readonly onGo: () => void;
}

function Turn({ stretch, begins, isHere, isWithin, relation, onGo }: TurnProps): JSX.Element {
  const { order, title, worker, time, kind, marks } = stretch;
  return (
    <button
      type="button"
      class={`turn${isHere ? ' is-here' : ''}`}
      aria-current={isHere ? 'true' : undefined}
      onClick={onGo}
    >
      <span class="swatch" style={{ background: `var(--kind-${kind}, var(--kind-other))` }} />
      <span class="turn-title" title={title}>
        {title}
      </span>
      <span class="turn-more quiet">
        {order} · {timeText(time - begins)} · {workerName(worker)}
        {isWithin ? ' · you are inside' : ''}
      </span>
      <span class="badges">
        {relation !== undefined && <span class="badge is-relation">{relation}</span>}
        {marks.slice(0, MOST_MARKS).map((mark, i) => (
          <span key={i} class={`badge is-${mark.kind}`} title={mark.kind === 'cut' ? undefined : lineText(mark)}>
            {markText(mark)}
          </span>
        ))}
        {marks.length > MOST_MARKS && <span class="badge">{marks.length - MOST_MARKS} more</span>}
      </span>
    </button>
  );
}

function markText(mark: Stretch['marks'][number]): string {
  if (mark.kind === 'cut') return `snapshot ${mark.value}`;
  return lineText(mark).split('\n', 1)[0]?.slice(0, 60) ?? '';
}

interface Shown {
  readonly actor: string | undefined;
  readonly focus: Focus | undefined;
}

/** Those around a stretch, or in the piece that views are narrowed to; asked for anew when one nears their end. */
function useStretches(session: Session, order: number | undefined, { actor, focus }: Shown): readonly Stretch[] {
  const [shown, setShown] = useState<Shown & { readonly all: readonly Stretch[] }>({ actor, focus, all: [] });
  const stage = useSelected(session, (state) => state.stage);
  const ask = async (signal: AbortSignal): Promise<void> => {
    if (order === undefined || stage === 'lost' || stage === 'connecting') return;
    const about = Math.max(focus?.from ?? 1, Math.min(order, focus?.to ?? order));
    const { all } = shown;
    const at = all.findIndex((each) => each.order === about);
    const isNearFirst = at < 10 && (all[0]?.order ?? 1) > (focus?.from ?? 1);
    const isNearLast = at > all.length - 20 && all.length > BEHIND;
    const isSame = shown.actor === actor && shown.focus === focus;
    if (isSame && at >= 0 && !isNearFirst && !isNearLast) return;
    const before = { from: about - 1, count: BEFORE, direction: 'backward', actor } as const;
    const [behind, earlier] = await Promise.all([
      session.request('stretches', { from: about, count: BEHIND, actor }, { signal }),
      about <= 1 ? { stretches: [] } : session.request('stretches', before, { signal }),
    ]);
    if (signal.aborted) return;
    const found = [...earlier.stretches.toReversed(), ...behind.stretches];
    setShown({ actor, focus, all: found.filter((each) => isIn(focus, each.order)) });
  };
  useAsked(ask, [order, actor, focus, stage]);
  return shown.all;
}
