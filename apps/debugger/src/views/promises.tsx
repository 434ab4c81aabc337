// Pending promises at the current position: which functions wait for them and since when, which promises they wait for,
// and why they are not settled.
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import {
  promiseChain,
  pendingReason,
  type PromisesState,
  type ListedPromise,
  type PromiseChainStep,
} from '../model/promises.ts';
import type { DebuggerSession } from '../model/debugger-session.ts';
import { onArrowKeys } from './arrow-keys.ts';
import { shortPath } from './source.tsx';
import { Tabs } from './tabs.tsx';
import { formatNumber } from './timeline/ticks.ts';
import { useSelector } from './use-selector.ts';

type CodeLocation = NonNullable<ListedPromise['location']>;

export function PromisesView({ session }: { readonly session: DebuggerSession }): JSX.Element {
  const position = useSelector(session, (state) => state.cursor?.position);
  const canInspect = useSelector(session, (state) => state.hello?.canStep === true);
  const list = useSelector(session, (state) => state.promises);
  useEffect(() => {
    if (position !== undefined && canInspect) void session.promises.load();
    return () => session.promises.stopLoading();
  }, [session, position, canInspect]);
  const isStale = list.position !== position;
  const remaining = list.total - list.promises.length;
  return (
    <section class="pane promises" aria-label="Promises" aria-busy={list.isLoading}>
      <header class="pane-head">
        <Tabs session={session} pane="below" />
        <span class="push" />
        {list.isLoading ? (
          <span class="quiet appears">replaying…</span>
        ) : (
          <span class="quiet" role="status">
            {!isStale && `${formatNumber(list.total)} pending`}
          </span>
        )}
      </header>
      {!canInspect ? (
        <p class="empty">Promises need a recording that can be replayed statement by statement.</p>
      ) : (
        <ul class={isStale ? 'list is-stale' : 'list'} aria-label="Promises" onKeyDown={onArrowKeys}>
          {list.promises.map((each) => (
            <PromiseRow key={each.value.id} session={session} promise={each} list={list} isStale={isStale} />
          ))}
          {remaining > 0 && (
            <li class="more">
              <button
                type="button"
                class="link"
                disabled={list.isLoading}
                onClick={() => void session.promises.loadMore()}
              >
                {formatNumber(remaining)} more
              </button>
            </li>
          )}
        </ul>
      )}
      {canInspect && list.promises.length === 0 && !list.isLoading && <p class="empty">No promise is pending here.</p>}
    </section>
  );
}

interface PromiseRowProps {
  readonly session: DebuggerSession;
  readonly promise: ListedPromise;
  readonly list: PromisesState;
  /** Whether the list was loaded at another position. */
  readonly isStale: boolean;
}

function PromiseRow({ session, promise, list, isStale }: PromiseRowProps): JSX.Element {
  const { value, description, since, waiters, waiterCount, waitsFor } = promise;
  const isSelected = value.id !== undefined && list.selectedId === value.id;
  return (
    <li class={isSelected ? 'row promise is-selected' : 'row promise'}>
      <button
        type="button"
        class="row-main"
        aria-expanded={isSelected}
        disabled={isStale || value.id === undefined}
        title="Chain of promises it waits for"
        onClick={() => value.id !== undefined && void session.promises.select(value.id)}
      >
        <span class="twist" aria-hidden="true">
          {isSelected ? '▾' : '▸'}
        </span>
        <span class="row-title" title={value.preview}>
          {description}
        </span>
        <span class="row-more quiet">{promise.reason ?? waitsForText(waitsFor.length)}</span>
      </button>
      <SinceButton session={session} since={since} title="Go to the task that began to wait for it" />
      <ul class="waiters">
        {waiters.map((waiter, i) => (
          <li key={i}>
            <span class="quiet">awaited by</span> {waiter.description} <span class="quiet">{waiter.actor}</span>{' '}
            {waiter.location !== undefined && <LocationLink session={session} location={waiter.location} />}
          </li>
        ))}
        {waiterCount > waiters.length && (
          <li class="quiet">and by {formatNumber(waiterCount - waiters.length)} more</li>
        )}
      </ul>
      {isSelected && <PromiseChain session={session} chain={list.chain} />}
    </li>
  );
}

function waitsForText(count: number): string {
  if (count === 0) return 'waits for no promise: select it to see why';
  return count === 1 ? 'waits for 1 promise' : `waits for ${count} promises`;
}

function PromiseChain({
  session,
  chain,
}: {
  readonly session: DebuggerSession;
  readonly chain: PromisesState['chain'];
}): JSX.Element {
  const steps = useMemo(() => promiseChain(chain ?? []), [chain]);
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    // Scroll the promise to the top of the list, so that most of its chain is visible.
    const [rowElement, listElement] = [list.current?.closest('.row'), list.current?.closest('.list')];
    if (rowElement != null && listElement != null)
      listElement.scrollTop += rowElement.getBoundingClientRect().top - listElement.getBoundingClientRect().top;
  }, [chain]);
  if (chain === undefined)
    return (
      <p class="promise-chain quiet appears" role="status">
        loading the chain… <progress />
      </p>
    );
  return (
    <ol class="promise-chain" aria-label="Chain of promises" ref={list}>
      {steps.map((step, i) => (
        <li key={i} style={{ paddingLeft: `calc(${step.depth} * var(--s3))` }}>
          <PromiseChainRow session={session} step={step} />
        </li>
      ))}
    </ol>
  );
}

function PromiseChainRow({
  session,
  step,
}: {
  readonly session: DebuggerSession;
  readonly step: PromiseChainStep;
}): JSX.Element {
  const { promise, depth, isRepeated, isCycle } = step;
  const { description, location, since } = promise;
  const reason = isCycle
    ? 'A cycle: none of these promises is ever settled.'
    : isRepeated
      ? 'as above'
      : pendingReason(promise);
  return (
    <>
      {depth > 0 && <span class="quiet">waits for </span>}
      {description} {location !== undefined && <LocationLink session={session} location={location} />}{' '}
      <SinceButton session={session} since={since} title="Go to the task that began to wait for it" />
      {reason !== undefined && <div class={isCycle ? 'pending-reason is-circle' : 'pending-reason'}>{reason}</div>}
    </>
  );
}

interface SinceButtonProps {
  readonly session: DebuggerSession;
  readonly since: string | undefined;
  readonly title: string;
}

function SinceButton({ session, since, title }: SinceButtonProps): JSX.Element | null {
  if (since === undefined) return null;
  return (
    <button type="button" class="plain quiet" title={title} onClick={() => void session.moveTo(since)}>
      since {since}
    </button>
  );
}

function LocationLink({
  session,
  location,
}: {
  readonly session: DebuggerSession;
  readonly location: CodeLocation;
}): JSX.Element {
  const { file, line } = location;
  return (
    <button
      type="button"
      class="link is-location"
      title="Show this line of the source"
      onClick={() => void session.showLine(file, line)}
    >
      {shortPath(file)}:{line}
    </button>
  );
}
