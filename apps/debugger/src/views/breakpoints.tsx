// The list of breakpoints on lines and event kinds, and a form to add breakpoints on event kinds.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { BreakpointInfo } from '@turntable/time-machine/protocol';
import { groupBy } from '../model/group-by.ts';
import type { DebuggerSession } from '../model/debugger-session.ts';
import { shortPath } from './source.tsx';
import { useSelector } from './use-selector.ts';

export function BreakpointsView({ session }: { readonly session: DebuggerSession }): JSX.Element {
  const breakpoints = useSelector(session, (state) => state.breakpoints);
  return (
    <section class="pane breakpoints" aria-label="Breakpoints">
      <header class="pane-head">
        <h2>Breakpoints</h2>
      </header>
      <ul class="list">
        {breakpoints.map((each) => (
          <BreakpointRow key={each.id} session={session} breakpoint={each} />
        ))}
      </ul>
      <EventBreakpointForm session={session} />
      {breakpoints.length === 0 && <p class="empty">No breakpoints. Click beside a line, or press F9 in the source.</p>}
    </section>
  );
}

/** Form for a breakpoint on an event kind. The server describes the kinds. */
function EventBreakpointForm({ session }: { readonly session: DebuggerSession }): JSX.Element | null {
  const kinds = useSelector(session, (state) => state.hello?.breakpointKinds);
  const [id, setId] = useState('');
  const [text, setText] = useState('');
  if (kinds === undefined || kinds.length === 0) return null;
  const kind = kinds.find((each) => each.id === id);
  return (
    <form
      class="of-kind"
      onSubmit={(event) => {
        event.preventDefault();
        if (kind === undefined) return;
        void session.addEventBreakpoint(kind.id, kind.detail === undefined || text === '' ? undefined : text);
        setId('');
        setText('');
      }}
    >
      <select aria-label="Kind of event" value={id} onChange={(event) => setId(event.currentTarget.value)}>
        <option value="">Stop at…</option>
        {[...groupBy(kinds, ({ group }) => group)].map(([group, groupKinds]) => (
          <optgroup key={group} label={group}>
            {groupKinds.map((each) => (
              <option key={each.id} value={each.id}>
                {each.title}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      {kind?.detail !== undefined && (
        <input
          type="text"
          aria-label={`Part of ${kind.detail}; * matches anything`}
          placeholder={kind.detail}
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      )}
      <button type="submit" disabled={kind === undefined}>
        Add
      </button>
    </form>
  );
}

interface BreakpointProps {
  readonly session: DebuggerSession;
  readonly breakpoint: BreakpointInfo;
}

function BreakpointRow({ session, breakpoint }: BreakpointProps): JSX.Element {
  const { id, file, line, kind = '', text = '', function: functionName, watch, condition, isEnabled } = breakpoint;
  const location = file === undefined || line === undefined ? undefined : { file, line };
  const name =
    location === undefined
      ? (watch ?? functionName ?? `${kind} ${text}`.trimEnd())
      : `${shortPath(location.file)}:${location.line}`;
  return (
    <li class="breakpoint">
      <input
        type="checkbox"
        aria-label={`Enable ${name}`}
        title="Enable this breakpoint"
        checked={isEnabled !== false}
        onChange={(event) => void session.enableBreakpoint(id, event.currentTarget.checked)}
      />
      <button
        type="button"
        class="entry"
        disabled={location === undefined}
        onClick={() => location !== undefined && void session.showLine(location.file, location.line)}
      >
        <span class="dot" aria-hidden="true" />
        <span class="entry-name">{name}</span>
      </button>
      {location !== undefined && (
        <>
          <InlineForm
            key={condition ?? ''}
            label="Condition"
            placeholder="if …"
            initialText={condition ?? ''}
            onSubmit={(text) => void session.toggleBreakpoint(location.file, location.line, text)}
          />
          <InlineForm
            label="Expression to log at each execution"
            placeholder="log …"
            initialText=""
            onSubmit={(text) => void session.logPoint(location.file, location.line, text)}
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

interface InlineFormProps {
  readonly label: string;
  readonly placeholder: string;
  readonly initialText: string;
  readonly onSubmit: (text: string) => void;
}

function InlineForm({ label, placeholder, initialText, onSubmit }: InlineFormProps): JSX.Element {
  const [text, setText] = useState(initialText);
  return (
    <form
      class="log-expression"
      onSubmit={(event) => {
        event.preventDefault();
        if (text !== '') onSubmit(text);
      }}
    >
      <label>
        <span class="visually-hidden">{label}</span>
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
