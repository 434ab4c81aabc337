// Nobody answers: the connection has ended, or the recording is not to be looked into; why, and the ways out.
import type { WayPast } from '@turntable/time-machine/protocol';
import type { JSX } from 'preact';
import type { Opener } from '../model/opener.ts';
import type { Session } from '../model/session.ts';
import { useSelected } from './use-selected.ts';

/** As buttons say it. A server may know of ways that this window does not. */
const WAYS: Readonly<Record<WayPast, string>> = {
  force: 'Open it all the same',
  key: 'Choose its key…',
};

interface LostProps {
  readonly session: Session;
  readonly opener: Opener | undefined;
}

export function Lost({ session, opener }: LostProps): JSX.Element | null {
  const stage = useSelected(session, (state) => state.stage);
  const why = useSelected(session, (state) => state.why);
  const refused = useSelected(session, (state) => state.refused);
  if (stage !== 'lost') return null;
  const ways = (refused?.ways ?? []).filter((way) => Object.hasOwn(WAYS, way));
  return (
    <div class="lost" role="alertdialog" aria-labelledby="lost-title" aria-describedby="lost-why">
      <h2 id="lost-title">
        {refused === undefined ? 'The time machine does not answer' : 'This recording cannot be opened'}
      </h2>
      <p id="lost-why" class="lost-why">
        {refused?.why ?? why}
      </p>
      {refused === undefined && opener === undefined && (
        <p class="quiet">
          If it has ended, start it again (turntable debug DIR --browser) and open the address that it prints.
        </p>
      )}
      <div class="lost-ways">
        {ways.map((way) => (
          <button key={way} type="button" class="main" onClick={() => void session.open(way)}>
            {WAYS[way]}
          </button>
        ))}
        <button
          type="button"
          class={ways.length === 0 ? 'main' : 'other'}
          autofocus={ways.length === 0}
          onClick={() => void session.open()}
        >
          {refused === undefined ? 'Connect again' : 'Try again'}
        </button>
        {opener !== undefined && (
          <button type="button" class="other" onClick={() => void opener.startAgain()}>
            Open another recording…
          </button>
        )}
      </div>
    </div>
  );
}
