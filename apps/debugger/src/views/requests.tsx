// Requests that the program received: method, URL, status and duration. Each has buttons that move to the tasks that
// received and answered the request.
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { workerName } from '../model/lanes.ts';
import {
  formatDuration,
  hasFailed,
  isActiveAt,
  type RequestsState,
  type ListedRequest,
  type RequestsFilter,
} from '../model/requests.ts';
import type { DebuggerSession } from '../model/debugger-session.ts';
import { onArrowKeys } from './arrow-keys.ts';
import { Tabs } from './tabs.tsx';
import { formatNumber, formatTime } from './timeline/ticks.ts';
import { useSelector } from './use-selector.ts';

const FILTERS: readonly (readonly [which: RequestsFilter, title: string, tooltip: string])[] = [
  ['all', 'All', 'All requests'],
  ['failed', 'Failed', 'Requests with a status of 400 or more'],
  ['open', 'Open', 'Requests without a response'],
];

export function RequestsView({ session }: { readonly session: DebuggerSession }): JSX.Element {
  const list = useSelector(session, (state) => state.requests);
  const order = useSelector(session, (state) => state.cursor?.order) ?? 0;
  const startTime = useSelector(session, (state) => state.hello?.startTime) ?? 0;
  const focus = useSelector(session, (state) => state.focus);
  const isConnected = useSelector(session, ({ stage }) => stage === 'loading' || stage === 'ready');
  useEffect(() => {
    if (isConnected) void session.requests.load();
  }, [session, isConnected, focus]);
  const longestMs = list.requests.reduce((longest, { durationMs = 0 }) => Math.max(longest, durationMs), 0);
  const remaining = list.total - list.requests.length;
  return (
    <section class="pane requests" aria-label="Requests" aria-busy={list.isLoading}>
      <header class="pane-head">
        <Tabs session={session} pane="left" />
      </header>
      <RequestFilters session={session} list={list} />
      <ol class="list" aria-label="Requests" onKeyDown={onArrowKeys}>
        {list.requests.map((each) => (
          <RequestRow
            key={each.number}
            session={session}
            request={each}
            startTime={startTime}
            longestMs={longestMs}
            isCurrent={each.received?.order === order || each.answered?.order === order}
            isActive={isActiveAt(each, order)}
          />
        ))}
        {remaining > 0 && (
          <li class="more">
            <button
              type="button"
              class="link"
              disabled={list.isLoading}
              onClick={() => void session.requests.loadMore()}
            >
              {formatNumber(remaining)} more
            </button>
          </li>
        )}
      </ol>
      {list.requests.length === 0 && (
        <p class="empty" role="status">
          {list.isLoaded ? emptyReason(list) : 'Loading requests…'}
        </p>
      )}
    </section>
  );
}

function emptyReason({ text, filter, focus }: RequestsState): string {
  if (text !== '' || filter !== 'all' || focus !== undefined)
    return `No matching requests${focus === undefined ? '' : ' in the selected range'}.`;
  return 'The program received no requests.';
}

function RequestFilters({
  session,
  list,
}: {
  readonly session: DebuggerSession;
  readonly list: RequestsState;
}): JSX.Element {
  return (
    <div class="tools" role="group" aria-label="Request filters">
      <label class="field">
        <span class="visually-hidden">Text in method, URL or status</span>
        <input
          type="search"
          placeholder="Method, URL, status"
          spellcheck={false}
          autocomplete="off"
          value={list.text}
          onInput={(event) => void session.requests.setQuery({ text: event.currentTarget.value })}
        />
      </label>
      <div class="choice" role="group" aria-label="Status">
        {FILTERS.map(([filter, title, description]) => (
          <button
            key={filter}
            type="button"
            title={description}
            aria-pressed={list.filter === filter}
            onClick={() => void session.requests.setQuery({ filter })}
          >
            {title}
          </button>
        ))}
      </div>
      <label class="check" title="Default: in the order in which they were received">
        <input
          type="checkbox"
          checked={list.sort === 'slowest'}
          onChange={(event) =>
            void session.requests.setQuery({ sort: event.currentTarget.checked ? 'slowest' : 'received' })
          }
        />
        slowest first
      </label>
      <span class="push" />
      <span class="quiet" role="status">
        {list.isLoaded && (list.total === 1 ? '1 request' : `${formatNumber(list.total)} requests`)}
      </span>
    </div>
  );
}

interface RequestRowProps {
  readonly session: DebuggerSession;
  readonly request: ListedRequest;
  readonly startTime: number;
  /** The duration of the slowest request in the list, to which the bars of all rows relate. */
  readonly longestMs: number;
  readonly isCurrent: boolean;
  readonly isActive: boolean;
}

function RequestRow({ session, request, startTime, longestMs, isCurrent, isActive }: RequestRowProps): JSX.Element {
  const { number, method, url, status, received, answered, durationMs, worker, actor } = request;
  const target = received ?? answered;
  const durationLabel = durationMs === undefined ? 'answer' : formatDuration(durationMs);
  const badge = status === undefined ? 'answer is-open' : hasFailed(request) ? 'answer is-failed' : 'answer';
  return (
    <li class={`row request${isCurrent ? ' is-current' : ''}${isActive ? ' is-in-progress' : ''}`}>
      <button
        type="button"
        class="row-main"
        aria-current={isCurrent ? 'true' : undefined}
        title={
          received === undefined
            ? 'Received before the recording began: go to its response'
            : 'Go to where it was received'
        }
        onClick={() => target !== undefined && void session.moveTo(target.position)}
      >
        <span class={badge}>{status ?? 'open'}</span>
        <span class="row-title" title={`${method} ${url}`}>
          <strong>{method}</strong> {withLineBreaks(url)}
        </span>
        <span class="row-more quiet" title={`On the ${workerName(worker)}`}>
          {number} · {target === undefined ? '' : formatTime(target.time - startTime)} · {actor}
        </span>
        {durationMs !== undefined && longestMs > 0 && (
          <span class="bar" style={{ width: `${(durationMs / longestMs) * 100}%` }} aria-hidden="true" />
        )}
      </button>
      {answered !== undefined && (
        <button
          type="button"
          class="plain quiet"
          aria-label={`${durationLabel}: go to the response of request ${number}`}
          title="Go to its response"
          onClick={() => void session.moveTo(answered.position)}
        >
          {durationLabel} ▸
        </button>
      )}
    </li>
  );
}

/** Returns a URL with a possible line break after each path segment. */
function withLineBreaks(url: string): (string | JSX.Element)[] {
  return url.split(/(?<=.\/)/).flatMap((part, i) => (i === 0 ? [part] : [<wbr key={i} />, part]));
}
