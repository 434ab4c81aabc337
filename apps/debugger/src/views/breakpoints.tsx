// Lines at which moves to a breakpoint stand.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ToldBreakpoint } from '@turntable/replay/protocol';
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
      {breakpoints.length === 0 && <p class="empty">None yet: click beside a line, or press F9 in the source.</p>}
    </section>
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
