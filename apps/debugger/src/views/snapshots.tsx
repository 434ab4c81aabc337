// The snapshots of the recording: the objects in one by class, and their growth since another snapshot.
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { DebuggerSession } from '../model/debugger-session.ts';
import {
  formatBytes,
  growthOf,
  type SnapshotsState,
  type ListedClass,
  type ListedSnapshot,
} from '../model/snapshots.ts';
import { onArrowKeys } from './arrow-keys.ts';
import { shortPath } from './source.tsx';
import { Tabs } from './tabs.tsx';
import { formatNumber, formatTime } from './timeline/ticks.ts';
import { useSelector } from './use-selector.ts';

export function SnapshotsView({ session }: { readonly session: DebuggerSession }): JSX.Element {
  const list = useSelector(session, (state) => state.snapshots);
  const order = useSelector(session, (state) => state.cursor?.order) ?? 0;
  const startTime = useSelector(session, (state) => state.hello?.startTime) ?? 0;
  const isConnected = useSelector(session, ({ stage }) => stage === 'loading' || stage === 'ready');
  useEffect(() => {
    if (isConnected) void session.snapshots.load();
  }, [session, isConnected]);
  // The current snapshot is the last one before the current position.
  const current = list.snapshots.findLast((each) => each.firstTask !== undefined && each.firstTask <= order);
  return (
    <section class="pane snapshots" aria-label="Snapshots" aria-busy={list.isLoading}>
      <header class="pane-head">
        <Tabs session={session} pane="middle" />
        {list.phase !== undefined && <ClassFilters session={session} list={list} />}
      </header>
      {list.snapshots.length === 0 ? (
        <p class="empty" role="status">
          {list.isLoaded ? (list.reason ?? 'This recording has no snapshots that can be read.') : 'Loading snapshots…'}
        </p>
      ) : (
        <div class="snapshots-in">
          <ol class="list" aria-label="Snapshots" onKeyDown={onArrowKeys}>
            {list.snapshots.map((each) => (
              <SnapshotRow
                key={each.phase}
                session={session}
                snapshot={each}
                startTime={startTime}
                isSelected={each.phase === list.phase}
                isCurrent={each === current}
              />
            ))}
          </ol>
          <ClassTable session={session} list={list} />
        </div>
      )}
    </section>
  );
}

interface SnapshotRowProps {
  readonly session: DebuggerSession;
  readonly snapshot: ListedSnapshot;
  readonly startTime: number;
  readonly isSelected: boolean;
  readonly isCurrent: boolean;
}

function SnapshotRow({ session, snapshot, startTime, isSelected, isCurrent }: SnapshotRowProps): JSX.Element {
  const { phase, time, bytes, workers, firstTask: order } = snapshot;
  return (
    <li class={`row${isCurrent ? ' is-in-progress' : ''}${isSelected ? ' is-selected' : ''}`}>
      <button
        type="button"
        class="row-main"
        aria-pressed={isSelected}
        title="Contents"
        onClick={() => void session.snapshots.setQuery({ phase })}
      >
        <span class="row-title">
          <strong>{phase}</strong>
        </span>
        <span class="row-title">{formatBytes(bytes)}</span>
        <span class="row-more quiet">
          {formatTime(time - startTime)}
          {workers.length > 1 ? ` · ${workers.length} threads` : ''}
        </span>
      </button>
      {order !== undefined && (
        <button
          type="button"
          class="plain quiet"
          aria-label={`Go to snapshot ${phase}`}
          title="Go to the first task after it"
          onClick={() => void session.moveTo(order)}
        >
          ▸
        </button>
      )}
    </li>
  );
}

function ClassFilters({
  session,
  list,
}: {
  readonly session: DebuggerSession;
  readonly list: SnapshotsState;
}): JSX.Element {
  return (
    <>
      <label class="field">
        <span class="visually-hidden">Text in the name or file of a class</span>
        <input
          type="search"
          placeholder="Class or file"
          spellcheck={false}
          autocomplete="off"
          value={list.text}
          onInput={(event) => void session.snapshots.setQuery({ text: event.currentTarget.value })}
        />
      </label>
      <label class="check">
        compared with
        <select
          aria-label="Compared with"
          value={list.baselinePhase ?? ''}
          onChange={(event) => {
            const { value } = event.currentTarget;
            const baselinePhase = value === '' ? undefined : Number(value);
            void session.snapshots.setQuery({
              baselinePhase,
              sort: baselinePhase === undefined ? 'retained' : 'grown',
            });
          }}
        >
          <option value="">nothing</option>
          {list.snapshots
            .filter(({ phase }) => phase !== list.phase)
            .map(({ phase }) => (
              <option key={phase} value={phase}>
                snapshot {phase}
              </option>
            ))}
        </select>
      </label>
    </>
  );
}

/** Columns that the table of classes can be sorted by. */
const COLUMNS: readonly (readonly [sort: SnapshotsState['sort'], title: string, tooltip: string])[] = [
  ['count', 'Objects', 'Number of objects'],
  ['bytes', 'Bytes', 'Bytes in the snapshot'],
  ['retained', 'Retained', 'Bytes that would be freed with them'],
];
const GROWTH_COLUMN = ['grown', 'Grown', 'Growth of the retained bytes since the other snapshot'] as const;

function ClassTable({
  session,
  list,
}: {
  readonly session: DebuggerSession;
  readonly list: SnapshotsState;
}): JSX.Element {
  const { phase, baselinePhase, contents, isLoading, reason, sort } = list;
  if (phase === undefined) return <p class="empty">Choose a snapshot to see its contents by class.</p>;
  if (contents === undefined)
    return (
      <p class="empty" role="status">
        {isLoading ? (
          <>
            Reading the snapshot and all its objects… <progress />{' '}
            <button type="button" class="plain" onClick={() => session.snapshots.cancel()}>
              Cancel <kbd>Esc</kbd>
            </button>
          </>
        ) : (
          reason
        )}
      </p>
    );
  const columns = baselinePhase === undefined ? COLUMNS : [...COLUMNS, GROWTH_COLUMN];
  const remaining = contents.total - contents.classes.length;
  return (
    <div class="scrolled">
      <table class="classes" aria-label={`Classes in snapshot ${phase}`}>
        <thead>
          <tr>
            <th scope="col">Class</th>
            {columns.map(([id, title, description]) => (
              <th key={id} scope="col" aria-sort={sort === id ? 'descending' : undefined}>
                <button type="button" title={description} onClick={() => void session.snapshots.setQuery({ sort: id })}>
                  {title}
                  <span aria-hidden="true">{sort === id ? ' ▾' : ''}</span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {contents.classes.map((each) => (
            <ClassTableRow
              key={`${each.name} ${each.module ?? ''}`}
              row={each}
              isCompared={baselinePhase !== undefined}
            />
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">all</th>
            <td>{formatNumber(contents.current.count)}</td>
            <td>{formatBytes(contents.current.bytes)}</td>
            <td />
            {contents.baseline !== undefined && (
              <td>{formatGrowth(contents.current.bytes - contents.baseline.bytes)}</td>
            )}
          </tr>
        </tfoot>
      </table>
      {remaining > 0 && (
        <p class="more">
          <button type="button" class="link" disabled={isLoading} onClick={() => void session.snapshots.loadMore()}>
            {formatNumber(remaining)} more
          </button>
        </p>
      )}
      {contents.total === 0 && <p class="empty">No matching classes.</p>}
    </div>
  );
}

function ClassTableRow({ row, isCompared }: { readonly row: ListedClass; readonly isCompared: boolean }): JSX.Element {
  const { name, module, current, baseline } = row;
  const growth = growthOf(row);
  return (
    <tr>
      <th scope="row" title={module === undefined ? name : `${name}, ${module}`}>
        {name} {module !== undefined && <span class="quiet">{shortPath(module)}</span>}
        {isCompared && baseline === undefined && <span class="badge is-relation">new</span>}
        {isCompared && current === undefined && <span class="badge">removed</span>}
      </th>
      <td>{formatNumber(current?.count ?? 0)}</td>
      <td>{formatBytes(current?.bytes ?? 0)}</td>
      <td>{formatBytes(current?.retained ?? 0)}</td>
      {isCompared && (
        <td
          class={growth > 0 ? 'is-grown' : growth < 0 ? 'is-less' : 'quiet'}
          title={`retains ${formatBytes(current?.retained ?? 0)} now, ${formatBytes(baseline?.retained ?? 0)} in the other snapshot`}
        >
          {formatGrowth(growth)}
        </td>
      )}
    </tr>
  );
}

function formatGrowth(bytes: number): string {
  if (bytes === 0) return '0';
  return bytes > 0 ? `+${formatBytes(bytes)}` : formatBytes(bytes);
}
