// Promises that somebody waits for where one stands: who waits, since when, what each waits for itself, and why it is not settled.
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { wayFrom, whyPending, type PromiseList, type ToldPromise, type WayStep } from '../model/promises.ts';
import type { Session } from '../model/session.ts';
import { onArrows } from './arrow-keys.ts';
import { shortName } from './source.tsx';
import { Tabs } from './tabs.tsx';
import { grouped } from './time-line/ticks.ts';
import { useSelected } from './use-selected.ts';

type Place = NonNullable<ToldPromise['place']>;

export function PromisesView({ session }: { readonly session: Session }): JSX.Element {
  const position = useSelected(session, (state) => state.where?.position);
  const canAsk = useSelected(session, (state) => state.hello?.statements === true);
  const its = useSelected(session, (state) => state.promises);
  useEffect(() => {
    if (position !== undefined && canAsk) void session.promises.look();
    return () => session.promises.leave();
  }, [session, position, canAsk]);
  const isOld = its.position !== position;
  const left = its.total - its.all.length;
  return (
    <section class="pane promises" aria-label="Promises" aria-busy={its.isAsking}>
      <header class="pane-head">
        <Tabs session={session} place="below" />
        <span class="push" />
        {its.isAsking ? (
          <span class="quiet appears">running there…</span>
        ) : (
          <span class="quiet" role="status">
            {!isOld && `${grouped(its.total)} pending`}
          </span>
        )}
      </header>
      {!canAsk ? (
        <p class="empty">This recording is not run again statement by statement here, so promises cannot be seen.</p>
      ) : (
        <ul class={isOld ? 'list is-old' : 'list'} aria-label="Promises" onKeyDown={onArrows}>
          {its.all.map((each) => (
            <Pending key={each.value.id} session={session} promise={each} its={its} isOld={isOld} />
          ))}
          {left > 0 && (
            <li class="more">
              <button type="button" class="link" disabled={its.isAsking} onClick={() => void session.promises.more()}>
                {grouped(left)} more
              </button>
            </li>
          )}
        </ul>
      )}
      {canAsk && its.all.length === 0 && !its.isAsking && <p class="empty">Nobody waits for a promise here.</p>}
    </section>
  );
}

interface PendingProps {
  readonly session: Session;
  readonly promise: ToldPromise;
  readonly its: PromiseList;
  /** It is of another place. */
  readonly isOld: boolean;
}

function Pending({ session, promise, its, isOld }: PendingProps): JSX.Element {
  const { value, what, since, waiters, waiting, on } = promise;
  const isChosen = value.id !== undefined && its.chosen === value.id;
  return (
    <li class={isChosen ? 'row promise is-chosen' : 'row promise'}>
      <button
        type="button"
        class="row-main"
        aria-expanded={isChosen}
        disabled={isOld || value.id === undefined}
        title="What it waits for, as far as that goes"
        onClick={() => value.id !== undefined && void session.promises.choose(value.id)}
      >
        <span class="twist" aria-hidden="true">
          {isChosen ? '▾' : '▸'}
        </span>
        <span class="row-title" title={value.preview}>
          {what}
        </span>
        <span class="row-more quiet">{promise.why ?? onText(on.length)}</span>
      </button>
      <Since session={session} since={since} title="Go to where somebody began to wait for it" />
      <ul class="waiters">
        {waiters.map((waiter, i) => (
          <li key={i}>
            <span class="quiet">awaited by</span> {waiter.what} <span class="quiet">{waiter.actor}</span>{' '}
            {waiter.place !== undefined && <PlaceLink session={session} place={waiter.place} />}
          </li>
        ))}
        {waiting > waiters.length && <li class="quiet">and by {grouped(waiting - waiters.length)} more</li>}
      </ul>
      {isChosen && <Way session={session} way={its.way} />}
    </li>
  );
}

function onText(count: number): string {
  if (count === 0) return 'waits for no other one: see why';
  return count === 1 ? 'waits for another one' : `waits for ${count} others`;
}

function Way({ session, way }: { readonly session: Session; readonly way: PromiseList['way'] }): JSX.Element {
  const steps = useMemo(() => wayFrom(way ?? []), [way]);
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    // All of it, from the promise that it is about on, as far as there is room.
    const [own, whole] = [list.current?.closest('.row'), list.current?.closest('.list')];
    if (own != null && whole != null)
      whole.scrollTop += own.getBoundingClientRect().top - whole.getBoundingClientRect().top;
  }, [way]);
  if (way === undefined)
    return (
      <p class="way quiet appears" role="status">
        following what it waits for… <progress />
      </p>
    );
  return (
    <ol class="way" aria-label="What it waits for" ref={list}>
      {steps.map((step, i) => (
        <li key={i} style={{ paddingLeft: `calc(${step.depth} * var(--s3))` }}>
          <Step session={session} step={step} />
        </li>
      ))}
    </ol>
  );
}

function Step({ session, step }: { readonly session: Session; readonly step: WayStep }): JSX.Element {
  const { promise, depth, isAgain, isCircle } = step;
  const { what, place, since } = promise;
  const why = isCircle
    ? 'It waits for itself: none of these is ever settled.'
    : isAgain
      ? 'as above'
      : whyPending(promise);
  return (
    <>
      {depth > 0 && <span class="quiet">waits for </span>}
      {what} {place !== undefined && <PlaceLink session={session} place={place} />}{' '}
      <Since session={session} since={since} title="Go to where that began" />
      {why !== undefined && <div class={isCircle ? 'why is-circle' : 'why'}>{why}</div>}
    </>
  );
}

interface SinceProps {
  readonly session: Session;
  readonly since: string | undefined;
  readonly title: string;
}

function Since({ session, since, title }: SinceProps): JSX.Element | null {
  if (since === undefined) return null;
  return (
    <button type="button" class="plain quiet" title={title} onClick={() => void session.goTo(since)}>
      since {since}
    </button>
  );
}

function PlaceLink({ session, place }: { readonly session: Session; readonly place: Place }): JSX.Element {
  const { file, line } = place;
  return (
    <button
      type="button"
      class="link is-place"
      title="Show this line of the source"
      onClick={() => void session.showLine(file, line)}
    >
      {shortName(file)}:{line}
    </button>
  );
}
