// Snapshots of the recording: what each holds, class by class, and what has grown from one to another.
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Session } from '../model/session.ts';
import { bytesText, growthOf, type SnapshotList, type ToldClass, type ToldSnapshot } from '../model/snapshots.ts';
import { onArrows } from './arrow-keys.ts';
import { shortName } from './source.tsx';
import { Tabs } from './tabs.tsx';
import { grouped, timeText } from './time-line/ticks.ts';
import { useSelected } from './use-selected.ts';

export function SnapshotsView({ session }: { readonly session: Session }): JSX.Element {
  const its = useSelected(session, (state) => state.snapshots);
  const order = useSelected(session, (state) => state.where?.order) ?? 0;
  const begins = useSelected(session, (state) => state.hello?.begins) ?? 0;
  const isThere = useSelected(session, ({ stage }) => stage === 'loading' || stage === 'ready');
  useEffect(() => {
    if (isThere) void session.snapshots.look();
  }, [session, isThere]);
  // The last one that was taken by then.
  const here = its.all.findLast((each) => each.order !== undefined && each.order <= order);
  return (
    <section class="pane snapshots" aria-label="Snapshots" aria-busy={its.isAsking}>
      <header class="pane-head">
        <Tabs session={session} place="middle" />
        {its.phase !== undefined && <Tools session={session} its={its} />}
      </header>
      {its.all.length === 0 ? (
        <p class="empty" role="status">
          {its.isKnown ? (its.why ?? 'This recording has no snapshots that can be read.') : 'Looking for snapshots…'}
        </p>
      ) : (
        <div class="snapshots-in">
          <ol class="list" aria-label="Snapshots" onKeyDown={onArrows}>
            {its.all.map((each) => (
              <Snapshot
                key={each.phase}
                session={session}
                snapshot={each}
                begins={begins}
                isChosen={each.phase === its.phase}
                isHere={each === here}
              />
            ))}
          </ol>
          <Holds session={session} its={its} />
        </div>
      )}
    </section>
  );
}

interface SnapshotProps {
  readonly session: Session;
  readonly snapshot: ToldSnapshot;
  readonly begins: number;
  readonly isChosen: boolean;
  readonly isHere: boolean;
}

function Snapshot({ session, snapshot, begins, isChosen, isHere }: SnapshotProps): JSX.Element {
  const { phase, time, bytes, workers, order } = snapshot;
  return (
    <li class={`row${isHere ? ' is-under-way' : ''}${isChosen ? ' is-chosen' : ''}`}>
      <button
        type="button"
        class="row-main"
        aria-pressed={isChosen}
        title="What it holds"
        onClick={() => void session.snapshots.wish({ phase })}
      >
        <span class="row-title">
          <strong>{phase}</strong>
        </span>
        <span class="row-title">{bytesText(bytes)}</span>
        <span class="row-more quiet">
          {timeText(time - begins)}
          {workers.length > 1 ? ` · ${workers.length} threads` : ''}
        </span>
      </button>
      {order !== undefined && (
        <button
          type="button"
          class="plain quiet"
          aria-label={`Go to snapshot ${phase}`}
          title="Go to the turn behind it"
          onClick={() => void session.goTo(order)}
        >
          ▸
        </button>
      )}
    </li>
  );
}

function Tools({ session, its }: { readonly session: Session; readonly its: SnapshotList }): JSX.Element {
  return (
    <>
      <label class="field">
        <span class="unseen">What is in the name or the file of a class</span>
        <input
          type="search"
          placeholder="Class or file"
          spellcheck={false}
          autocomplete="off"
          value={its.text}
          onInput={(event) => void session.snapshots.wish({ text: event.currentTarget.value })}
        />
      </label>
      <label class="check">
        compared with
        <select
          aria-label="Compared with"
          value={its.against ?? ''}
          onChange={(event) => {
            const { value } = event.currentTarget;
            const against = value === '' ? undefined : Number(value);
            void session.snapshots.wish({ against, sort: against === undefined ? 'retained' : 'grown' });
          }}
        >
          <option value="">nothing</option>
          {its.all
            .filter(({ phase }) => phase !== its.phase)
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

/** Columns, by which there is sorted. */
const COLUMNS: readonly (readonly [sort: SnapshotList['sort'], title: string, about: string])[] = [
  ['count', 'Objects', 'How many there are'],
  ['bytes', 'Bytes', 'That they took in the snapshot'],
  ['retained', 'Retained', 'Bytes that would be gone with them: what nobody else holds'],
];
const GROWN = ['grown', 'Grown', 'By how much more they retain than in the other snapshot'] as const;

function Holds({ session, its }: { readonly session: Session; readonly its: SnapshotList }): JSX.Element {
  const { phase, against, holds, isAsking, why, sort } = its;
  if (phase === undefined) return <p class="empty">Choose one to see what it holds, class by class.</p>;
  if (holds === undefined)
    return (
      <p class="empty" role="status">
        {isAsking ? (
          <>
            Reading the snapshot and all its objects… <progress />{' '}
            <button type="button" class="plain" onClick={() => session.snapshots.cancel()}>
              Cancel <kbd>Esc</kbd>
            </button>
          </>
        ) : (
          why
        )}
      </p>
    );
  const columns = against === undefined ? COLUMNS : [...COLUMNS, GROWN];
  const left = holds.total - holds.classes.length;
  return (
    <div class="scrolled">
      <table class="classes" aria-label={`What snapshot ${phase} holds`}>
        <thead>
          <tr>
            <th scope="col">Class</th>
            {columns.map(([id, title, about]) => (
              <th key={id} scope="col" aria-sort={sort === id ? 'descending' : undefined}>
                <button type="button" title={about} onClick={() => void session.snapshots.wish({ sort: id })}>
                  {title}
                  <span aria-hidden="true">{sort === id ? ' ▾' : ''}</span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {holds.classes.map((each) => (
            <Class key={`${each.name} ${each.module ?? ''}`} its={each} isCompared={against !== undefined} />
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">all</th>
            <td>{grouped(holds.now.count)}</td>
            <td>{bytesText(holds.now.bytes)}</td>
            <td />
            {holds.before !== undefined && <td>{growthText(holds.now.bytes - holds.before.bytes)}</td>}
          </tr>
        </tfoot>
      </table>
      {left > 0 && (
        <p class="more">
          <button type="button" class="link" disabled={isAsking} onClick={() => void session.snapshots.more()}>
            {grouped(left)} more
          </button>
        </p>
      )}
      {holds.total === 0 && <p class="empty">No class is called like that.</p>}
    </div>
  );
}

function Class({ its, isCompared }: { readonly its: ToldClass; readonly isCompared: boolean }): JSX.Element {
  const { name, module, now, before } = its;
  const growth = growthOf(its);
  return (
    <tr>
      <th scope="row" title={module === undefined ? name : `${name}, ${module}`}>
        {name} {module !== undefined && <span class="quiet">{shortName(module)}</span>}
        {isCompared && before === undefined && <span class="badge is-relation">new</span>}
        {isCompared && now === undefined && <span class="badge">gone</span>}
      </th>
      <td>{grouped(now?.count ?? 0)}</td>
      <td>{bytesText(now?.bytes ?? 0)}</td>
      <td>{bytesText(now?.retained ?? 0)}</td>
      {isCompared && (
        <td
          class={growth > 0 ? 'is-grown' : growth < 0 ? 'is-less' : 'quiet'}
          title={`retains ${bytesText(now?.retained ?? 0)} now, ${bytesText(before?.retained ?? 0)} in the other snapshot`}
        >
          {growthText(growth)}
        </td>
      )}
    </tr>
  );
}

function growthText(bytes: number): string {
  if (bytes === 0) return '0';
  return bytes > 0 ? `+${bytesText(bytes)}` : bytesText(bytes);
}
