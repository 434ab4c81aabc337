// What is asked and told in lines: expressions with what they came to where one stood then, what the program printed, where a text stands.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Session } from '../model/session.ts';
import type { Logged, Printed } from '../model/state.ts';
import { Found, SearchField } from './found.tsx';
import { OutputList } from './output.tsx';
import { Tabs } from './tabs.tsx';
import { AskButtons, type Asking } from './tree-view.tsx';
import { useSelected } from './use-selected.ts';

export function ConsoleView({ session }: { readonly session: Session }): JSX.Element {
  const shown = useSelected(session, ({ panes }) => panes.bottom);
  return (
    <section class={shown === 'expressions' ? 'pane console' : 'pane console is-tall'} aria-label="Console">
      <header class="pane-head">
        <Tabs session={session} place="bottom" />
        {shown === 'search' && <SearchField session={session} />}
      </header>
      {shown === 'expressions' && <PrintedList session={session} />}
      {shown === 'output' && <OutputList session={session} />}
      {shown === 'search' && <Found session={session} />}
      {shown === 'expressions' && <Prompt session={session} />}
    </section>
  );
}

function PrintedList({ session }: { readonly session: Session }): JSX.Element {
  const printed = useSelected(session, (state) => state.printed);
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [printed]);
  return (
    <ol class="list printed" aria-label="Expressions" ref={list} aria-live="polite">
      {printed.map((each) => (
        <Line
          key={each.number}
          printed={each}
          asking={askingOf(session, each.position)}
          onGo={(position) => void session.goTo(position)}
        />
      ))}
    </ol>
  );
}

function Prompt({ session }: { readonly session: Session }): JSX.Element {
  const printed = useSelected(session, (state) => state.printed);
  const canAsk = useSelected(session, (state) => state.where?.statement !== undefined);
  const [text, setText] = useState('');
  /** How many before the last one are in the field. */
  const [back, setBack] = useState(0);
  const recall = (step: number): void => {
    const next = Math.max(0, Math.min(printed.length, back + step));
    setBack(next);
    setText(next === 0 ? '' : (printed.at(-next)?.text ?? ''));
  };
  return (
    <form
      class="prompt"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === '') return;
        void session.print(text);
        setText('');
        setBack(0);
      }}
    >
      <label>
        <span class="prompt-sign" aria-hidden="true">
          ›
        </span>
        <span class="unseen">An expression</span>
        <input
          id="expression"
          type="text"
          spellcheck={false}
          autocomplete="off"
          disabled={!canAsk}
          placeholder={
            canAsk ? 'An expression, with the variables here (X)' : 'Expressions need a statement to stand at'
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

function askingOf({ origins }: Session, position: string): Asking {
  return {
    wrote: (expression) => void origins.ask(expression, { position }),
    sent: (expression) => void origins.goToSending(expression, { position }),
  };
}

function Line({
  printed,
  asking,
  onGo,
}: {
  readonly printed: Printed;
  readonly asking: Asking;
  readonly onGo: (position: string) => void;
}): JSX.Element {
  const { text, position, answer } = printed;
  return (
    <li class="printed-line">
      <span class="printed-text">{text}</span>
      <button type="button" class="plain quiet" title="Go there again" onClick={() => onGo(position)}>
        {position}
      </button>
      {answer === undefined ? (
        <span class="quiet appears">running…</span>
      ) : 'hits' in answer ? (
        <Hits logged={answer} onGo={onGo} />
      ) : (
        <span class={answer.error === undefined ? 'printed-answer' : 'printed-answer is-error'}>
          {answer.error ?? answer.value?.preview ?? 'undefined'}
          {!answer.isPure && <span class="quiet"> (what that may have changed is gone as soon as you move)</span>}
          {answer.error === undefined && <AskButtons expression={text} asking={asking} />}
        </span>
      )}
    </li>
  );
}

function Hits({ logged, onGo }: { readonly logged: Logged; readonly onGo: (position: string) => void }): JSX.Element {
  const { hits, isCut } = logged;
  return (
    <ol class="hits">
      {hits.map(({ position, log, error }) => (
        <li key={position}>
          <button type="button" class="plain quiet" title="Go there" onClick={() => onGo(position)}>
            {position}
          </button>
          <span class={error === undefined ? '' : 'is-error'}>{log ?? error}</span>
        </li>
      ))}
      <li class="quiet">
        {hits.length === 0
          ? 'the recording does not come by there'
          : isCut
            ? `the first ${hits.length} times`
            : `${hits.length} times`}
      </li>
    </ol>
  );
}
