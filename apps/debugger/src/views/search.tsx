// Field and results of the text search in the recording: turns, errors, requests, host calls, output.
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { isInFocus } from '../model/focus.ts';
import { excerptOf, type SearchState, type SearchHit } from '../model/search.ts';
import type { DebuggerSession } from '../model/debugger-session.ts';
import { onArrowKeys } from './arrow-keys.ts';
import { formatNumber, formatTime } from './timeline/ticks.ts';
import { useSelector } from './use-selector.ts';

export function SearchField({ session }: { readonly session: DebuggerSession }): JSX.Element {
  const text = useSelector(session, (state) => state.search.text);
  return (
    <label class="field">
      <span class="visually-hidden">Text to search for</span>
      <input
        id="search"
        type="search"
        spellcheck={false}
        autocomplete="off"
        placeholder="A name, an error, a URL, output …"
        value={text}
        onInput={(event) => void session.search.find(event.currentTarget.value)}
      />
    </label>
  );
}

export function SearchResults({ session }: { readonly session: DebuggerSession }): JSX.Element {
  const search = useSelector(session, (state) => state.search);
  const order = useSelector(session, (state) => state.cursor?.order);
  const startTime = useSelector(session, (state) => state.hello?.startTime) ?? 0;
  const eventKinds = useSelector(session, (state) => state.hello?.eventKinds);
  const focus = useSelector(session, (state) => state.focus);
  const hits = search.hits.filter((each) => isInFocus(focus, each.order));
  useEffect(() => void session.search.reload(), [session, focus]);
  const kindTitle = (kind: string): string => eventKinds?.find(({ id }) => id === kind)?.title ?? 'a task';
  return (
    <>
      <ol class="list lines" aria-label="Search results" onKeyDown={onArrowKeys}>
        {hits.map((hit, i) => (
          <SearchHitRow
            key={`${hit.order} ${i}`}
            hit={hit}
            searchedText={search.searchedText}
            startTime={startTime}
            title={kindTitle(hit.kind)}
            isCurrent={hit.order === order}
            onMove={() => void session.moveTo(hit.position)}
          />
        ))}
        {search.nextOrder !== undefined && !search.isLoading && (
          <li class="more">
            <button type="button" class="link" onClick={() => void session.search.loadMore()}>
              Search further
            </button>
          </li>
        )}
      </ol>
      <p class={hits.length === 0 ? 'empty' : 'visually-hidden'} role="status">
        {statusText(search)}
      </p>
    </>
  );
}

function statusText({ text, hits, focus, isLoading, isCancelled, nextOrder }: SearchState): string {
  if (text === '') return 'Searches names of actors and methods, errors, requests, host calls and output.';
  if (isLoading) return 'searching…';
  if (isCancelled) return 'Cancelled.';
  if (hits.length === 0) return `No matches${focus === undefined ? '' : ' in the selected range'}.`;
  return `${formatNumber(hits.length)} ${hits.length === 1 ? 'match' : 'matches'}${nextOrder === undefined ? '' : ', and there may be more'}`;
}

interface SearchHitProps {
  readonly hit: SearchHit;
  readonly searchedText: string;
  readonly startTime: number;
  readonly title: string;
  readonly isCurrent: boolean;
  readonly onMove: () => void;
}

function SearchHitRow({ hit, searchedText, startTime, title, isCurrent, onMove }: SearchHitProps): JSX.Element {
  const { kind, position, time } = hit;
  const [before, match, after] = excerptOf(hit, searchedText);
  return (
    <li class={isCurrent ? 'row line is-current' : 'row line'}>
      <button
        type="button"
        class="row-main"
        aria-current={isCurrent ? 'true' : undefined}
        title={`Go to ${position}: ${title}`}
        onClick={onMove}
      >
        <span class="quiet">{formatTime(time - startTime)}</span>
        <span class="line-text">
          <span class={`badge is-${kind}`}>{kind}</span> {before}
          <mark>{match}</mark>
          {after}
        </span>
      </button>
    </li>
  );
}
