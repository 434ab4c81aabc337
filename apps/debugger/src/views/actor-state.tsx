// The view of an actor's state at the current position: its object, its mailbox, and the differences from its state at
// another position.
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { PREVIOUS_TURN, type ActorState, type StateDifference, type ListedActor } from '../model/actor-state.ts';
import { workerName } from '../model/lanes.ts';
import type { DebuggerSession } from '../model/debugger-session.ts';
import { Tabs } from './tabs.tsx';
import { ValueActionButtons, TreeView, type ValueActions } from './tree-view.tsx';
import { useDraft } from './use-draft.ts';
import { useSelector } from './use-selector.ts';

/** Maximum number of actors offered for completion of a name. */
const MAX_OPTIONS = 1000;

export function ActorStateView({ session }: { readonly session: DebuggerSession }): JSX.Element {
  const position = useSelector(session, (state) => state.cursor?.position);
  const canInspect = useSelector(session, (state) => state.hello?.canStep === true);
  const actorState = useSelector(session, (state) => state.actorState);
  const actions = useMemo(() => valueActions(session), [session]);
  useEffect(() => {
    if (position !== undefined && canInspect) void session.actorState.load();
    return () => session.actorState.stopLoading();
  }, [session, position, canInspect]);
  return (
    <section class="pane state" aria-label="State" aria-busy={actorState.isLoading}>
      <header class="pane-head">
        <Tabs session={session} pane="top" />
        <ActorPicker session={session} actorState={actorState} />
      </header>
      {!canInspect ? (
        <p class="empty">States need a recording that can be replayed statement by statement.</p>
      ) : (
        <div class="scrolled">
          <TreeView
            label={`State of ${actorState.shown?.name ?? 'no actor'}`}
            tree={actorState.tree}
            expander={session.actorState.expander}
            isStale={actorState.isLoading}
            actions={actions}
          />
          {actorState.shown === undefined && !actorState.isLoading && <p class="empty">{noActorReason(actorState)}</p>}
          {actorState.shown !== undefined && (
            <>
              <Mailbox actorState={actorState} />
              <Comparison session={session} actorState={actorState} actions={actions} />
            </>
          )}
        </div>
      )}
    </section>
  );
}

function noActorReason({ selected, total }: ActorState): string {
  if (total === 0) return 'No live actors here.';
  return `${selected?.name ?? 'The actor'} is not live here: it starts later, or it has ended.`;
}

/** A text field with completion, in which the user chooses a live actor by name. */
function ActorPicker({
  session,
  actorState,
}: {
  readonly session: DebuggerSession;
  readonly actorState: ActorState;
}): JSX.Element {
  const { actors, selected, shown } = actorState;
  const allActors = useSelector(session, (state) => state.actors);
  const labels = useMemo(() => actorLabels(actors), [actors]);
  const shownName = (shown && labels.get(shown)) ?? selected?.name ?? '';
  const draft = useDraft(shownName, async (typedName) => {
    // The actor may be one that is not offered, because only part of a long list is.
    const actor =
      actors.find((each) => labels.get(each) === typedName) ?? allActors.find(({ name }) => name === typedName);
    if (typedName === '') await session.actorState.select(undefined);
    else if (actor !== undefined) await session.actorState.select({ worker: actor.worker, name: actor.name });
    else session.showNotice(`There is no live actor ${typedName}.`);
  });
  return (
    <>
      <label class="field">
        <span class="visually-hidden">Actor</span>
        <input
          type="text"
          list="living"
          placeholder="Actor"
          title="A live actor; empty: the actor of the current task"
          spellcheck={false}
          autocomplete="off"
          value={draft.text}
          onInput={(event) => draft.edit(event.currentTarget.value)}
          onFocus={(event) => event.currentTarget.select()}
          onChange={(event) => void draft.save(event.currentTarget.value)}
        />
        <datalist id="living">
          {actors.slice(0, MAX_OPTIONS).map((each) => (
            <option key={`${each.worker} ${each.id}`} value={labels.get(each)} />
          ))}
        </datalist>
      </label>
      {selected !== undefined && (
        <button
          type="button"
          class="plain"
          aria-label="Show the actor of the current task"
          title="Show the actor of the current task"
          onClick={() => void draft.save('')}
        >
          ✕
        </button>
      )}
      {actorState.isLoading && <span class="quiet appears">replaying…</span>}
    </>
  );
}

/** Returns the label of each actor: its name, with the worker if several workers have actors of that name. */
function actorLabels(actors: readonly ListedActor[]): ReadonlyMap<ListedActor, string> {
  const workers = new Map<string, Set<number>>();
  for (const { name, worker } of actors) workers.set(name, (workers.get(name) ?? new Set<number>()).add(worker));
  const isAmbiguous = (name: string): boolean => (workers.get(name)?.size ?? 0) > 1;
  return new Map(
    actors.map((each) => [each, isAmbiguous(each.name) ? `${each.name}, ${workerName(each.worker)}` : each.name]),
  );
}

function Mailbox({ actorState: { shown, mailbox } }: { readonly actorState: ActorState }): JSX.Element {
  const { messages = [], total = shown?.waitingCount ?? 0 } = mailbox ?? {};
  return (
    <details class="part" open>
      <summary>
        Mailbox <span class="quiet">{total === 0 ? 'empty' : `${total.toLocaleString('en-US')} waiting`}</span>
      </summary>
      <ol class="messages">
        {messages.map(({ subject, sender, values }, i) => (
          <li key={i}>
            <span class="name">{subject}</span>
            <span class="value">
              ({values === undefined ? '…, in flight' : values.map(({ preview }) => preview).join(', ')})
            </span>
            {sender !== undefined && <span class="quiet"> from {sender}</span>}
          </li>
        ))}
        {total > messages.length && mailbox !== undefined && (
          <li class="quiet">{(total - messages.length).toLocaleString('en-US')} more</li>
        )}
      </ol>
    </details>
  );
}

interface ComparisonProps {
  readonly session: DebuggerSession;
  readonly actorState: ActorState;
  readonly actions: ValueActions;
}

function Comparison({ session, actorState, actions }: ComparisonProps): JSX.Element {
  const bookmarks = useSelector(session, (state) => state.bookmarks);
  const { baseline, difference, reason, isComparing } = actorState;
  return (
    <div class="part">
      <label>
        Compared with{' '}
        <select
          aria-label="State to compare with"
          value={baseline ?? ''}
          onChange={(event) => void session.actorState.compareWith(event.currentTarget.value || undefined)}
        >
          <option value="">nothing</option>
          <option value={PREVIOUS_TURN}>its previous turn</option>
          {bookmarks.map(({ id, position, note }) => (
            <option key={id} value={position}>
              {note === '' ? position : `${position} ${note}`}
            </option>
          ))}
        </select>
      </label>
      {isComparing && (
        <p class="quiet appears">
          comparing… <progress />
        </p>
      )}
      {reason !== undefined && <p class="quiet">{reason}</p>}
      {difference !== undefined && <DifferenceList difference={difference} actions={actions} />}
    </div>
  );
}

function DifferenceList({
  difference,
  actions,
}: {
  readonly difference: StateDifference;
  readonly actions: ValueActions;
}): JSX.Element {
  const { entries, total, isTruncated } = difference;
  return (
    <>
      <ol class="differences">
        {entries.map(({ path, before, after }) => (
          <li key={path}>
            <span class="name">{path}</span>{' '}
            {before === undefined ? <span class="quiet">new </span> : <del class="value">{before}</del>}{' '}
            {after === undefined ? <span class="quiet">removed</span> : <ins class="value">{after}</ins>}
            {after !== undefined && <ValueActionButtons expression={path} actions={actions} />}
          </li>
        ))}
      </ol>
      <p class="quiet">
        {total === 0 ? 'No differences.' : ''}
        {total > entries.length ? `${(total - entries.length).toLocaleString('en-US')} more. ` : ''}
        {isTruncated ? 'Deeper parts were not compared.' : ''}
      </p>
    </>
  );
}

/** Returns the actions for values of the shown actor. */
function valueActions({ actorState, writeHistory }: DebuggerSession): ValueActions {
  return {
    traceWrite: (expression) => void writeHistory.trace(expression, actorState.valueContext),
    moveToSend: (expression) => void writeHistory.moveToSend(expression, actorState.valueContext),
  };
}
