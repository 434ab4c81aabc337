// The tasks before and after the current one, with their actors and events. The sender of the current task and the
// tasks that handle its messages are marked.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isInFocus, type Focus } from '../model/focus.ts';
import { lineText } from '../model/output.ts';
import type { DebuggerSession } from '../model/debugger-session.ts';
import type { ListedTask } from '../model/session-state.ts';
import { workerName } from '../model/lanes.ts';
import { Tabs } from './tabs.tsx';
import { formatTime } from './timeline/ticks.ts';
import { useRequest } from './use-request.ts';
import { useSelector } from './use-selector.ts';

/** Maximum numbers of tasks loaded before the current one, and from it on. */
const MAX_TASKS_BEFORE = 60;
const MAX_TASKS_AFTER = 120;
/** Maximum number of events shown in the row of a task. */
const MAX_EVENTS = 4;

export function TurnsView({ session }: { readonly session: DebuggerSession }): JSX.Element {
  const order = useSelector(session, (state) => state.cursor?.order);
  const position = useSelector(session, (state) => state.cursor?.position);
  const hello = useSelector(session, (state) => state.hello);
  const timeline = useSelector(session, (state) => state.timeline);
  const name = useSelector(session, (state) => state.cursor?.task?.actor);
  const [isActorOnly, setActorOnly] = useState(false);
  const actor = isActorOnly ? name : undefined;
  const focus = useSelector(session, (state) => state.focus);
  const tasks = useTasks(session, order, { actor, focus });
  const list = useRef<HTMLOListElement>(null);

  useEffect(() => {
    const currentRow = list.current?.querySelector('[aria-current="true"]');
    if (list.current === null || currentRow == null) return;
    const [rowRect, listRect] = [currentRow.getBoundingClientRect(), list.current.getBoundingClientRect()];
    const isVisible = rowRect.top >= listRect.top && rowRect.bottom <= listRect.bottom;
    if (!isVisible) currentRow.scrollIntoView({ block: 'center' });
  }, [tasks, order]);

  const sender = order === undefined ? undefined : timeline?.sender(order);
  const receivers = new Set(order === undefined ? [] : timeline?.receivers(order));
  const relation = (each: number): string | undefined =>
    each === sender ? 'sender' : receivers.has(each) ? 'receiver' : undefined;
  return (
    <section class="pane turns" aria-label="Tasks">
      <header class="pane-head">
        <Tabs session={session} pane="left" />
      </header>
      <div class="tools">
        <label class="check" title="Only tasks of this actor">
          <input
            type="checkbox"
            checked={isActorOnly}
            disabled={name === undefined}
            onChange={(event) => setActorOnly(event.currentTarget.checked)}
          />
          this actor only
        </label>
      </div>
      <ol class="list" ref={list}>
        {tasks.map((each) => (
          <li key={each.order}>
            <TurnRow
              task={each}
              startTime={hello?.startTime ?? 0}
              isCurrent={each.order === order}
              isInside={each.order === order && position?.includes(':') === true}
              relation={relation(each.order)}
              onMove={() => void session.moveTo(each.order)}
            />
          </li>
        ))}
      </ol>
      {tasks.length === 0 && <p class="empty">No tasks{focus === undefined ? '' : ' in the selected range'}.</p>}
    </section>
  );
}

interface TurnProps {
  readonly task: ListedTask;
  readonly startTime: number;
  readonly isCurrent: boolean;
  readonly isInside: boolean;
  readonly relation: string | undefined;
  readonly onMove: () => void;
}

function TurnRow({ task, startTime, isCurrent, isInside, relation, onMove }: TurnProps): JSX.Element {
  const { order, title, worker, time, kind, events } = task;
  return (
    <button
      type="button"
      class={`turn${isCurrent ? ' is-current' : ''}`}
      aria-current={isCurrent ? 'true' : undefined}
      onClick={onMove}
    >
      <span class="swatch" style={{ background: `var(--kind-${kind}, var(--kind-other))` }} />
      <span class="turn-title" title={title}>
        {title}
      </span>
      <span class="turn-more quiet">
        {order} · {formatTime(time - startTime)} · {workerName(worker)}
        {isInside ? ' · current' : ''}
      </span>
      <span class="badges">
        {relation !== undefined && <span class="badge is-relation">{relation}</span>}
        {events.slice(0, MAX_EVENTS).map((event, i) => (
          <span key={i} class={`badge is-${event.kind}`} title={event.kind === 'cut' ? undefined : lineText(event)}>
            {eventText(event)}
          </span>
        ))}
        {events.length > MAX_EVENTS && <span class="badge">{events.length - MAX_EVENTS} more</span>}
      </span>
    </button>
  );
}

function eventText(event: ListedTask['events'][number]): string {
  if (event.kind === 'cut') return `snapshot ${event.value}`;
  return lineText(event).split('\n', 1)[0]?.slice(0, 60) ?? '';
}

interface TaskFilter {
  readonly actor: string | undefined;
  readonly focus: Focus | undefined;
}

/** Loads the tasks around the current one, within the focus; loads again when it gets near an end of the list. */
function useTasks(
  session: DebuggerSession,
  order: number | undefined,
  { actor, focus }: TaskFilter,
): readonly ListedTask[] {
  const [shown, setShown] = useState<TaskFilter & { readonly tasks: readonly ListedTask[] }>({
    actor,
    focus,
    tasks: [],
  });
  const stage = useSelector(session, (state) => state.stage);
  const loadTasks = async (signal: AbortSignal): Promise<void> => {
    if (order === undefined || stage === 'lost' || stage === 'connecting') return;
    const centerOrder = Math.max(focus?.from ?? 1, Math.min(order, focus?.to ?? order));
    const { tasks } = shown;
    const index = tasks.findIndex((each) => each.order === centerOrder);
    const isNearFirst = index < 10 && (tasks[0]?.order ?? 1) > (focus?.from ?? 1);
    const isNearLast = index > tasks.length - 20 && tasks.length > MAX_TASKS_AFTER;
    const isSame = shown.actor === actor && shown.focus === focus;
    if (isSame && index >= 0 && !isNearFirst && !isNearLast) return;
    const earlierParams = { from: centerOrder - 1, count: MAX_TASKS_BEFORE, direction: 'backward', actor } as const;
    const [later, earlier] = await Promise.all([
      session.request('tasks', { from: centerOrder, count: MAX_TASKS_AFTER, actor }, { signal }),
      centerOrder <= 1 ? { tasks: [] } : session.request('tasks', earlierParams, { signal }),
    ]);
    if (signal.aborted) return;
    const found = [...earlier.tasks.toReversed(), ...later.tasks];
    setShown({ actor, focus, tasks: found.filter((each) => isInFocus(focus, each.order)) });
  };
  useRequest(loadTasks, [order, actor, focus, stage]);
  return shown.tasks;
}
