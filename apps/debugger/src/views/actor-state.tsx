// The state of any actor where one stands: its parts, what waits for it, and what differs from another place.
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { TURN_BEFORE, type ActorState, type Difference, type Living } from '../model/actor-state.ts';
import { workerName } from '../model/lanes.ts';
import type { Session } from '../model/session.ts';
import { Tabs } from './tabs.tsx';
import { AskButtons, TreeView, type Asking } from './tree-view.tsx';
import { useSelected } from './use-selected.ts';

/** Names that are proposed. */
const MOST = 1000;

export function StateView({ session }: { readonly session: Session }): JSX.Element {
  const position = useSelected(session, (state) => state.where?.position);
  const canAsk = useSelected(session, (state) => state.hello?.statements === true);
  const its = useSelected(session, (state) => state.actorState);
  const asking = useMemo(() => askingOf(session), [session]);
  useEffect(() => {
    if (position !== undefined && canAsk) void session.actorStates.look();
    return () => session.actorStates.leave();
  }, [session, position, canAsk]);
  return (
    <section class="pane state" aria-label="State" aria-busy={its.isLooking}>
      <header class="pane-head">
        <Tabs session={session} place="top" />
        <Chooser session={session} its={its} />
      </header>
      {!canAsk ? (
        <p class="empty">This recording is not run again statement by statement here, so states cannot be seen.</p>
      ) : (
        <div class="scrolled">
          <TreeView
            label={`State of ${its.shown?.name ?? 'nobody'}`}
            tree={its.tree}
            branches={session.actorStates.parts}
            isOld={its.isLooking}
            asking={asking}
          />
          {its.shown === undefined && !its.isLooking && <p class="empty">{whyNobody(its)}</p>}
          {its.shown !== undefined && (
            <>
              <Mailbox its={its} />
              <Compared session={session} its={its} asking={asking} />
            </>
          )}
        </div>
      )}
    </section>
  );
}

function whyNobody({ chosen, total }: ActorState): string {
  if (total === 0) return 'No actor lives here.';
  return `${chosen?.name ?? 'It'} does not live here: not yet, or not any more.`;
}

/** Which of those that live here, by name. */
function Chooser({ session, its }: { readonly session: Session; readonly its: ActorState }): JSX.Element {
  const { living, chosen, shown } = its;
  const all = useSelected(session, (state) => state.actors);
  const names = useMemo(() => namesOf(living), [living]);
  const text = (shown && names.get(shown)) ?? chosen?.name ?? '';
  const [draft, setDraft] = useState(text);
  useEffect(() => setDraft(text), [text]);
  const choose = (wished: string): void => {
    // Of many not all are proposed.
    const actor = living.find((each) => names.get(each) === wished) ?? all.find(({ name }) => name === wished);
    if (wished === '') void session.actorStates.choose(undefined);
    else if (actor !== undefined) void session.actorStates.choose({ worker: actor.worker, name: actor.name });
    else {
      session.say(`Nobody who is called ${wished} lives here.`);
      setDraft(text);
    }
  };
  return (
    <>
      <label class="field">
        <span class="unseen">Whose state</span>
        <input
          type="text"
          list="living"
          placeholder="Whose state"
          title="An actor that lives here; nothing for whose turn it is"
          spellcheck={false}
          autocomplete="off"
          value={draft}
          onInput={(event) => setDraft(event.currentTarget.value)}
          onFocus={(event) => event.currentTarget.select()}
          onChange={(event) => choose(event.currentTarget.value)}
        />
        <datalist id="living">
          {living.slice(0, MOST).map((each) => (
            <option key={`${each.worker} ${each.id}`} value={names.get(each)} />
          ))}
        </datalist>
      </label>
      {chosen !== undefined && (
        <button
          type="button"
          class="plain"
          aria-label="Whose turn it is"
          title="Whose turn it is"
          onClick={() => choose('')}
        >
          ✕
        </button>
      )}
      {its.isLooking && <span class="quiet appears">running there…</span>}
    </>
  );
}

/** Names may come twice, on different workers: then these are said as well. */
function namesOf(living: readonly Living[]): ReadonlyMap<Living, string> {
  const workers = new Map<string, Set<number>>();
  for (const { name, worker } of living) workers.set(name, (workers.get(name) ?? new Set<number>()).add(worker));
  const isTwice = (name: string): boolean => (workers.get(name)?.size ?? 0) > 1;
  return new Map(
    living.map((each) => [each, isTwice(each.name) ? `${each.name}, ${workerName(each.worker)}` : each.name]),
  );
}

function Mailbox({ its: { shown, mailbox } }: { readonly its: ActorState }): JSX.Element {
  const { messages = [], total = shown?.waiting ?? 0 } = mailbox ?? {};
  return (
    <details class="part" open>
      <summary>
        Mailbox <span class="quiet">{total === 0 ? 'nothing waits' : `${total.toLocaleString('en-US')} waiting`}</span>
      </summary>
      <ol class="messages">
        {messages.map(({ what, from, values }, i) => (
          <li key={i}>
            <span class="name">{what}</span>
            <span class="value">
              ({values === undefined ? '…, under way' : values.map(({ preview }) => preview).join(', ')})
            </span>
            {from !== undefined && <span class="quiet"> from {from}</span>}
          </li>
        ))}
        {total > messages.length && mailbox !== undefined && (
          <li class="quiet">{(total - messages.length).toLocaleString('en-US')} more</li>
        )}
      </ol>
    </details>
  );
}

interface ComparedProps {
  readonly session: Session;
  readonly its: ActorState;
  readonly asking: Asking;
}

function Compared({ session, its, asking }: ComparedProps): JSX.Element {
  const bookmarks = useSelected(session, (state) => state.bookmarks);
  const { against, difference, why, isComparing } = its;
  return (
    <div class="part">
      <label>
        Compared with{' '}
        <select
          aria-label="What the state is compared with"
          value={against ?? ''}
          onChange={(event) => void session.actorStates.compareWith(event.currentTarget.value || undefined)}
        >
          <option value="">nothing</option>
          <option value={TURN_BEFORE}>its turn before</option>
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
      {why !== undefined && <p class="quiet">{why}</p>}
      {difference !== undefined && <Differences difference={difference} asking={asking} />}
    </div>
  );
}

function Differences({
  difference,
  asking,
}: {
  readonly difference: Difference;
  readonly asking: Asking;
}): JSX.Element {
  const { entries, total, isCut } = difference;
  return (
    <>
      <ol class="differences">
        {entries.map(({ path, before, after }) => (
          <li key={path}>
            <span class="name">{path}</span>{' '}
            {before === undefined ? <span class="quiet">new </span> : <del class="value">{before}</del>}{' '}
            {after === undefined ? <span class="quiet">gone</span> : <ins class="value">{after}</ins>}
            {after !== undefined && <AskButtons expression={path} asking={asking} />}
          </li>
        ))}
      </ol>
      <p class="quiet">
        {total === 0 ? 'Nothing differs.' : ''}
        {total > entries.length ? `${(total - entries.length).toLocaleString('en-US')} more. ` : ''}
        {isCut ? 'What is further inside was not compared.' : ''}
      </p>
    </>
  );
}

/** Of a state: of the actor that is shown, whoever has the turn. */
function askingOf({ actorStates, origins }: Session): Asking {
  return {
    wrote: (expression) => void origins.ask(expression, actorStates.asked),
    sent: (expression) => void origins.goToSending(expression, actorStates.asked),
  };
}
