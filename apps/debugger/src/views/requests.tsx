// Requests to services of the program: what was asked, what was answered, how long that took; each leads to where it came and to where it was answered.
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { workerName } from '../model/lanes.ts';
import {
  durationText,
  isFailed,
  isUnderWay,
  type RequestList,
  type ToldRequest,
  type WhichRequests,
} from '../model/requests.ts';
import type { Session } from '../model/session.ts';
import { onArrows } from './arrow-keys.ts';
import { Tabs } from './tabs.tsx';
import { grouped, timeText } from './time-line/ticks.ts';
import { useSelected } from './use-selected.ts';

const WHICH: readonly (readonly [which: WhichRequests, title: string, about: string])[] = [
  ['all', 'All', 'All requests'],
  ['failed', 'Failed', 'Those that were answered with a status of 400 or more'],
  ['open', 'Open', 'Those that were not seen to be answered'],
];

export function RequestsView({ session }: { readonly session: Session }): JSX.Element {
  const its = useSelected(session, (state) => state.requests);
  const order = useSelected(session, (state) => state.where?.order) ?? 0;
  const begins = useSelected(session, (state) => state.hello?.begins) ?? 0;
  const focus = useSelected(session, (state) => state.focus);
  const isThere = useSelected(session, ({ stage }) => stage === 'loading' || stage === 'ready');
  useEffect(() => {
    if (isThere) void session.requests.look();
  }, [session, isThere, focus]);
  const longest = its.all.reduce((most, { duration = 0 }) => Math.max(most, duration), 0);
  const left = its.total - its.all.length;
  return (
    <section class="pane requests" aria-label="Requests" aria-busy={its.isAsking}>
      <header class="pane-head">
        <Tabs session={session} place="left" />
      </header>
      <Tools session={session} its={its} />
      <ol class="list" aria-label="Requests" onKeyDown={onArrows}>
        {its.all.map((each) => (
          <Request
            key={each.number}
            session={session}
            request={each}
            begins={begins}
            longest={longest}
            isHere={each.came?.order === order || each.answered?.order === order}
            isUnderWay={isUnderWay(each, order)}
          />
        ))}
        {left > 0 && (
          <li class="more">
            <button type="button" class="link" disabled={its.isAsking} onClick={() => void session.requests.more()}>
              {grouped(left)} more
            </button>
          </li>
        )}
      </ol>
      {its.all.length === 0 && (
        <p class="empty" role="status">
          {its.isKnown ? whyNone(its) : 'Looking for requests…'}
        </p>
      )}
    </section>
  );
}

function whyNone({ text, which, focus }: RequestList): string {
  if (text !== '' || which !== 'all' || focus !== undefined)
    return `No request ${focus === undefined ? '' : 'of the piece that you look at '}is like that.`;
  return 'No request has come to a service of this program.';
}

function Tools({ session, its }: { readonly session: Session; readonly its: RequestList }): JSX.Element {
  return (
    <div class="tools" role="group" aria-label="Which requests">
      <label class="field">
        <span class="unseen">What is in method, URL or status</span>
        <input
          type="search"
          placeholder="Method, URL, status"
          spellcheck={false}
          autocomplete="off"
          value={its.text}
          onInput={(event) => void session.requests.wish({ text: event.currentTarget.value })}
        />
      </label>
      <div class="choice" role="group" aria-label="Which of them">
        {WHICH.map(([which, title, about]) => (
          <button
            key={which}
            type="button"
            title={about}
            aria-pressed={its.which === which}
            onClick={() => void session.requests.wish({ which })}
          >
            {title}
          </button>
        ))}
      </div>
      <label class="check" title="Otherwise in the order in which they came">
        <input
          type="checkbox"
          checked={its.sort === 'slowest'}
          onChange={(event) => void session.requests.wish({ sort: event.currentTarget.checked ? 'slowest' : 'came' })}
        />
        slowest first
      </label>
      <span class="push" />
      <span class="quiet" role="status">
        {its.isKnown && (its.total === 1 ? '1 request' : `${grouped(its.total)} requests`)}
      </span>
    </div>
  );
}

interface RequestProps {
  readonly session: Session;
  readonly request: ToldRequest;
  readonly begins: number;
  /** How long the slowest of those that are shown took. */
  readonly longest: number;
  readonly isHere: boolean;
  readonly isUnderWay: boolean;
}

function Request({ session, request, begins, longest, isHere, isUnderWay: isOpenHere }: RequestProps): JSX.Element {
  const { number, method, url, status, came, answered, duration, worker, actor } = request;
  const from = came ?? answered;
  const took = duration === undefined ? 'answer' : durationText(duration);
  const badge = status === undefined ? 'answer is-open' : isFailed(request) ? 'answer is-failed' : 'answer';
  return (
    <li class={`row request${isHere ? ' is-here' : ''}${isOpenHere ? ' is-under-way' : ''}`}>
      <button
        type="button"
        class="row-main"
        aria-current={isHere ? 'true' : undefined}
        title={came === undefined ? 'It came before the recording begins: go to its answer' : 'Go to where it came'}
        onClick={() => from !== undefined && void session.goTo(from.position)}
      >
        <span class={badge}>{status ?? 'open'}</span>
        <span class="row-title" title={`${method} ${url}`}>
          <strong>{method}</strong> {wrapped(url)}
        </span>
        <span class="row-more quiet" title={`On the ${workerName(worker)}`}>
          {number} · {from === undefined ? '' : timeText(from.time - begins)} · {actor}
        </span>
        {duration !== undefined && longest > 0 && (
          <span class="bar" style={{ width: `${(duration / longest) * 100}%` }} aria-hidden="true" />
        )}
      </button>
      {answered !== undefined && (
        <button
          type="button"
          class="plain quiet"
          aria-label={`${took}: go to the answer of request ${number}`}
          title="Go to where it was answered"
          onClick={() => void session.goTo(answered.position)}
        >
          {took} ▸
        </button>
      )}
    </li>
  );
}

/** It may go on in the next line behind each of its parts. */
function wrapped(url: string): (string | JSX.Element)[] {
  return url.split(/(?<=.\/)/).flatMap((part, i) => (i === 0 ? [part] : [<wbr key={i} />, part]));
}
