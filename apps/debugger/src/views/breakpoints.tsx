// Lines at which moves to a breakpoint stand.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ToldBreakpoint } from '@turntable/time-machine/protocol';
import { groupBy } from '../model/group-by.ts';
import type { Session } from '../model/session.ts';
import { shortName } from './source.tsx';
import { useSelected } from './use-selected.ts';

export function BreakpointsView({ session }: { readonly session: Session }): JSX.Element {
  const breakpoints = useSelected(session, (state) => state.breakpoints);
  return (
    <section class="pane breakpoints" aria-label="Breakpoints">
      <header class="pane-head">
        <h2>Breakpoints</h2>
      </header>
      <ul class="list">
        {breakpoints.map((each) => (
          <Breakpoint key={each.id} session={session} breakpoint={each} />
        ))}
      </ul>
      <OfKind session={session} />
      {breakpoints.length === 0 && <p class="empty">None yet: click beside a line, or press F9 in the source.</p>}
    </section>
  );
}

/** Breakpoints that are at no line: kinds, with their titles, are the server's. */
function OfKind({ session }: { readonly session: Session }): JSX.Element | null {
  const kinds = useSelected(session, (state) => state.hello?.breakpoints);
  const [id, setId] = useState('');
  const [matching, setMatching] = useState('');
  if (kinds === undefined || kinds.length === 0) return null;
  const kind = kinds.find((each) => each.id === id);
  return (
    <form
      class="of-kind"
      onSubmit={(event) => {
        event.preventDefault();
        if (kind === undefined) return;
        void session.breakAt(kind.id, kind.tells === undefined || matching === '' ? undefined : matching);
        setId('');
        setMatching('');
      }}
    >
      <select aria-label="What to stop at" value={id} onChange={(event) => setId(event.currentTarget.value)}>
        <option value="">Stop at…</option>
        {[...groupBy(kinds, ({ group }) => group)].map(([group, those]) => (
          <optgroup key={group} label={group}>
            {those.map((each) => (
              <option key={each.id} value={each.id}>
                {each.title}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      {kind?.tells !== undefined && (
        <input
          type="text"
          aria-label={`${kind.tells}, * for anything`}
          placeholder={`${kind.tells}, * for anything`}
          spellcheck={false}
          value={matching}
          onInput={(event) => setMatching(event.currentTarget.value)}
        />
      )}
      <button type="submit" disabled={kind === undefined}>
        Add
      </button>
    </form>
  );
}

interface BreakpointProps {
  readonly session: Session;
  readonly breakpoint: ToldBreakpoint;
}

function Breakpoint({ session, breakpoint }: BreakpointProps): JSX.Element {
  const { id, file, line, kind, matching = '', condition } = breakpoint;
  // One that is at no line is of a kind that the server knows.
  const place = file === undefined || line === undefined ? undefined : { file, line };
  const name = place === undefined ? `${kind} ${matching}`.trimEnd() : `${shortName(place.file)}:${place.line}`;
  return (
    <li class="breakpoint">
      <button
        type="button"
        class="entry"
        disabled={place === undefined}
        onClick={() => place !== undefined && void session.showLine(place.file, place.line)}
      >
        <span class="dot" aria-hidden="true" />
        <span class="entry-name">{name}</span>
      </button>
      {place !== undefined && (
        <>
          <Saying
            key={condition ?? ''}
            label="Only where this holds"
            placeholder="if …"
            first={condition ?? ''}
            onSay={(text) => void session.toggleBreakpoint(place.file, place.line, text)}
          />
          <Saying
            label="What to tell of each time that the recording comes by here"
            placeholder="log …"
            first=""
            onSay={(text) => void session.log(place.file, place.line, text)}
          />
        </>
      )}
      <button
        type="button"
        class="plain"
        aria-label={`Remove ${name}`}
        onClick={() => void session.removeBreakpoint(id)}
      >
        ✕
      </button>
    </li>
  );
}

interface SayingProps {
  readonly label: string;
  readonly placeholder: string;
  readonly first: string;
  readonly onSay: (text: string) => void;
}

function Saying({ label, placeholder, first, onSay }: SayingProps): JSX.Element {
  const [text, setText] = useState(first);
  return (
    <form
      class="saying"
      onSubmit={(event) => {
        event.preventDefault();
        if (text !== '') onSay(text);
      }}
    >
      <label>
        <span class="unseen">{label}</span>
        <input
          type="text"
          placeholder={placeholder}
          title={label}
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
    </form>
  );
}
