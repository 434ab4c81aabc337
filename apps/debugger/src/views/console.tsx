// The pane with the tabs of the console (expressions with their results), the program's output, and search results.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { formatKey } from '../model/commands.ts';
import type { DebuggerSession } from '../model/debugger-session.ts';
import type { LogPointResult, ConsoleEntry } from '../model/session-state.ts';
import { WINDOW_KEYS } from '../model/window-keys.ts';
import { SearchResults, SearchField } from './search.tsx';
import { OutputView } from './output.tsx';
import { Tabs } from './tabs.tsx';
import { ValueActionButtons, type ValueActions } from './tree-view.tsx';
import { useSelector } from './use-selector.ts';

export function ConsoleView({ session }: { readonly session: DebuggerSession }): JSX.Element {
  const shown = useSelector(session, ({ panes }) => panes.bottom);
  return (
    <section class={shown === 'expressions' ? 'pane console' : 'pane console is-tall'} aria-label="Console">
      <header class="pane-head">
        <Tabs session={session} pane="bottom" />
        {shown === 'search' && <SearchField session={session} />}
      </header>
      {shown === 'expressions' && <ConsoleEntryList session={session} />}
      {shown === 'output' && <OutputView session={session} />}
      {shown === 'search' && <SearchResults session={session} />}
      {shown === 'expressions' && <Prompt session={session} />}
    </section>
  );
}

function ConsoleEntryList({ session }: { readonly session: DebuggerSession }): JSX.Element {
  const entries = useSelector(session, (state) => state.consoleEntries);
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [entries]);
  return (
    <ol class="list printed" aria-label="Expressions" ref={list} aria-live="polite">
      {entries.map((each) => (
        <ConsoleLine
          key={each.number}
          entry={each}
          actions={valueActionsAt(session, each.position)}
          onMove={(position) => void session.moveTo(position)}
        />
      ))}
    </ol>
  );
}

function Prompt({ session }: { readonly session: DebuggerSession }): JSX.Element {
  const entries = useSelector(session, (state) => state.consoleEntries);
  const canEvaluate = useSelector(session, (state) => state.cursor?.statement !== undefined);
  const [text, setText] = useState('');
  /** How many entries back in the history the recalled input is; 0 for a new input. */
  const [recallDepth, setRecallDepth] = useState(0);
  const recall = (step: number): void => {
    const next = Math.max(0, Math.min(entries.length, recallDepth + step));
    setRecallDepth(next);
    setText(next === 0 ? '' : (entries.at(-next)?.expression ?? ''));
  };
  return (
    <form
      class="prompt"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === '') return;
        void session.evaluate(text);
        setText('');
        setRecallDepth(0);
      }}
    >
      <label>
        <span class="prompt-sign" aria-hidden="true">
          ›
        </span>
        <span class="visually-hidden">An expression</span>
        <input
          id="expression"
          type="text"
          spellcheck={false}
          autocomplete="off"
          disabled={!canEvaluate}
          placeholder={
            canEvaluate
              ? `An expression, with the variables here (${formatKey(WINDOW_KEYS.expression)})`
              : 'Expressions need a current statement'
          }
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'ArrowUp') recall(1);
            else if (event.key === 'ArrowDown') recall(-1);
            else return;
            event.preventDefault();
          }}
        />
      </label>
    </form>
  );
}

function valueActionsAt({ writeHistory }: DebuggerSession, position: string): ValueActions {
  return {
    traceWrite: (expression) => void writeHistory.trace(expression, { position }),
    moveToSend: (expression) => void writeHistory.moveToSend(expression, { position }),
  };
}

function ConsoleLine({
  entry,
  actions,
  onMove,
}: {
  readonly entry: ConsoleEntry;
  readonly actions: ValueActions;
  readonly onMove: (position: string) => void;
}): JSX.Element {
  const { expression, position, result } = entry;
  return (
    <li class="printed-line">
      <span class="printed-text">{expression}</span>
      <button type="button" class="plain quiet" title="Go to this position" onClick={() => onMove(position)}>
        {position}
      </button>
      {result === undefined ? (
        <span class="quiet appears">running…</span>
      ) : 'hits' in result ? (
        <LogPointHits result={result} onMove={onMove} />
      ) : (
        <span class={result.error === undefined ? 'printed-answer' : 'printed-answer is-error'}>
          {result.output !== undefined && <pre class="quiet">{result.output.trimEnd()}</pre>}
          {result.error ?? result.value?.preview ?? 'undefined'}
          {!result.isPure && <span class="quiet"> (changes it made are undone at the next move)</span>}
          {result.error === undefined && <ValueActionButtons expression={expression} actions={actions} />}
        </span>
      )}
    </li>
  );
}

function LogPointHits({
  result,
  onMove,
}: {
  readonly result: LogPointResult;
  readonly onMove: (position: string) => void;
}): JSX.Element {
  const { hits, isTruncated } = result;
  return (
    <ol class="hits">
      {hits.map(({ position, logValue, error }) => (
        <li key={position}>
          <button type="button" class="plain quiet" title="Go to this position" onClick={() => onMove(position)}>
            {position}
          </button>
          <span class={error === undefined ? '' : 'is-error'}>{logValue ?? error}</span>
        </li>
      ))}
      <li class="quiet">
        {hits.length === 0
          ? 'the location is not executed'
          : isTruncated
            ? `the first ${hits.length} executions`
            : `${hits.length} executions`}
      </li>
    </ol>
  );
}
