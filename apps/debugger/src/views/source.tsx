// The file where one stands.
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { JSX } from 'preact';

import { breakpointsIn } from '../model/breakpoints.ts';
import { lineValues } from '../model/inline-values.ts';
import { SourceTree } from '../model/given.ts';
import type { Session } from '../model/session.ts';
import { shownPlace } from '../model/state.ts';
import { SourceEditor } from './editor.ts';
import { Tabs } from './tabs.tsx';
import { useSelected } from './use-selected.ts';

export function SourceView({ session }: { readonly session: Session }): JSX.Element {
  const source = useSelected(session, (state) => state.source);
  const where = useSelected(session, (state) => state.where);
  const entries = useSelected(session, (state) => state.tree.roots);
  const frame = useSelected(session, (state) => (state.frame === 0 ? undefined : state.frames[state.frame]));
  const breakpoints = useSelected(session, (state) => state.breakpoints);
  const isLooking = useSelected(session, (state) => state.isLooking);
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<SourceEditor>(undefined);
  const file = source?.file;

  useEffect(() => {
    if (host.current === null) return undefined;
    const made = new SourceEditor(host.current, {
      toggle: (line) => {
        const { source: shown } = session.state;
        if (shown !== undefined) void session.toggleBreakpoint(shown.file, line);
      },
      askAbout: (text, line, column) => {
        const expression = new SourceTree(text).expressionAt(line, column);
        if (expression === undefined) session.say('Put the caret into a name to ask who has written it.');
        else void session.origins.ask(expression);
      },
    });
    editor.current = made;
    return () => made.end();
  }, [session]);

  const place = shownPlace(where);
  const lines = useMemo(() => source?.text?.split('\n') ?? [], [source]);
  useEffect(() => {
    if (file === undefined) return;
    const isHere = place?.file === file;
    // The variables are those of the frame that was chosen.
    const of = frame === undefined ? place : frame.place;
    const hasValues = of !== undefined && of.file === file && where?.statement !== undefined && !isLooking;
    editor.current?.show(source?.text ?? '', {
      place: isHere ? place : undefined,
      values: hasValues ? lineValues(lines, of.line, entries) : [],
      breakpoints: breakpointsIn(breakpoints, file),
    });
  }, [source, where, entries, breakpoints, isLooking, frame]);
  useEffect(() => {
    if (source?.line !== undefined) editor.current?.reveal(source.line);
  }, [source]);

  return (
    <section class="pane source" aria-label="Source">
      <header class="pane-head">
        <Tabs session={session} place="middle" />
        {file !== undefined && <h2 title={file}>{shortName(file)}</h2>}
        {place !== undefined && place.file === file && (
          <span class="quiet">
            line {place.line}
            {where?.statement === undefined ? '' : `, ${where.statement.function || 'the file itself'}`}
          </span>
        )}
        <span class="push" />
        <button
          type="button"
          class="plain"
          title="Find in this file (Ctrl+F in it)"
          onClick={() => editor.current?.search()}
          disabled={source?.text === undefined}
        >
          Find
        </button>
      </header>
      <div class="editor" ref={host} hidden={source?.text === undefined} />
      {source === undefined ? (
        <p class="empty">Step into a turn to see its statements: press N, or click a turn.</p>
      ) : (
        source.text === undefined && (
          <p class="empty">The recording has not the text of {shortName(source.file)}: it is none of the program's.</p>
        )
      )}
    </section>
  );
}

export function shortName(file: string): string {
  return file.split('/').slice(-2).join('/');
}
