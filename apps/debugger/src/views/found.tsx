// Where a text stands in the recording: turns, errors, requests, calls of the outside, what was printed.
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { isIn } from '../model/focus.ts';
import { excerptOf, type FoundList, type FoundPlace } from '../model/found.ts';
import type { Session } from '../model/session.ts';
import { onArrows } from './arrow-keys.ts';
import { grouped, timeText } from './time-line/ticks.ts';
import { useSelected } from './use-selected.ts';

export function SearchField({ session }: { readonly session: Session }): JSX.Element {
  const text = useSelected(session, (state) => state.found.text);
  return (
    <label class="field">
      <span class="unseen">A text to find in the recording</span>
      <input
        id="search"
        type="search"
        spellcheck={false}
        autocomplete="off"
        placeholder="A name, an error, a URL, what was printed …"
        value={text}
        onInput={(event) => void session.search.find(event.currentTarget.value)}
      />
    </label>
  );
}

export function Found({ session }: { readonly session: Session }): JSX.Element {
  const its = useSelected(session, (state) => state.found);
  const order = useSelected(session, (state) => state.where?.order);
  const begins = useSelected(session, (state) => state.hello?.begins) ?? 0;
  const marks = useSelected(session, (state) => state.hello?.marks);
  const focus = useSelected(session, (state) => state.focus);
  const all = its.all.filter((each) => isIn(focus, each.order));
  useEffect(() => void session.search.look(), [session, focus]);
  const titleOf = (kind: string): string => marks?.find(({ id }) => id === kind)?.title ?? 'a turn';
  return (
    <>
      <ol class="list lines" aria-label="Where it stands" onKeyDown={onArrows}>
        {all.map((place, i) => (
          <Place
            key={`${place.order} ${i}`}
            place={place}
            sought={its.sought}
            begins={begins}
            title={titleOf(place.kind)}
            isHere={place.order === order}
            onGo={() => void session.goTo(place.position)}
          />
        ))}
        {its.next !== undefined && !its.isAsking && (
          <li class="more">
            <button type="button" class="link" onClick={() => void session.search.more()}>
              Look on
            </button>
          </li>
        )}
      </ol>
      <p class={all.length === 0 ? 'empty' : 'unseen'} role="status">
        {statusText(its)}
      </p>
    </>
  );
}

function statusText({ text, all, focus, isAsking, isGivenUp, next }: FoundList): string {
  if (text === '')
    return 'In names of actors and methods, errors, requests, calls of the outside, and in what was printed.';
  if (isAsking) return 'looking…';
  if (isGivenUp) return 'It was given up.';
  if (all.length === 0) return `It stands nowhere${focus === undefined ? '' : ' in the piece that you look at'}.`;
  return `${grouped(all.length)} ${all.length === 1 ? 'place' : 'places'}${next === undefined ? '' : ', and there may be more'}`;
}

interface FoundProps {
  readonly place: FoundPlace;
  readonly sought: string;
  readonly begins: number;
  readonly title: string;
  readonly isHere: boolean;
  readonly onGo: () => void;
}

function Place({ place, sought, begins, title, isHere, onGo }: FoundProps): JSX.Element {
  const { kind, position, time } = place;
  const [before, its, behind] = excerptOf(place, sought);
  return (
    <li class={isHere ? 'row line is-here' : 'row line'}>
      <button
        type="button"
        class="row-main"
        aria-current={isHere ? 'true' : undefined}
        title={`Go to ${position}: ${title}`}
        onClick={onGo}
      >
        <span class="quiet">{timeText(time - begins)}</span>
        <span class="line-text">
          <span class={`badge is-${kind}`}>{kind === 'stretch' ? 'turn' : kind}</span> {before}
          <mark>{its}</mark>
          {behind}
        </span>
      </button>
    </li>
  );
}
