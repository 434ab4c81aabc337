// The file where one stands.
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { JSX } from 'preact';

import { breakpointsIn } from '../model/breakpoints.ts';
import { lineValues } from '../model/inline-values.ts';
import type { Session } from '../model/session.ts';
import { shownPlace } from '../model/state.ts';
import { SourceEditor } from './editor.ts';
import { useSelected } from './use-selected.ts';

export function SourceView({ session }: { readonly session: Session }): JSX.Element {
  const source = useSelected(session, (state) => state.source);
  const where = useSelected(session, (state) => state.where);
  const entries = useSelected(session, (state) => state.tree.roots);
  const breakpoints = useSelected(session, (state) => state.breakpoints);
  const isLooking = useSelected(session, (state) => state.isLooking);
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<SourceEditor>(undefined);
  const file = source?.file;

  useEffect(() => {
    if (host.current === null) return undefined;
    const made = new SourceEditor(host.current, (line) => {
      const { source: shown } = session.state;
      if (shown !== undefined) void session.toggleBreakpoint(shown.file, line);
    });
    editor.current = made;
    return () => made.end();
  }, [session]);

  const place = shownPlace(where);
  const lines = useMemo(() => source?.text?.split('\n') ?? [], [source]);
  useEffect(() => {
    if (file === undefined) return;
    const isHere = place?.file === file;
    editor.current?.show(source?.text ?? '', {
      place: isHere ? place : undefined,
      values: isHere && where?.statement !== undefined && !isLooking ? lineValues(lines, place.line, entries) : [],
      breakpoints: breakpointsIn(breakpoints, file),
    });
  }, [source, where, entries, breakpoints, isLooking]);
  useEffect(() => {
    if (source?.line !== undefined) editor.current?.reveal(source.line);
  }, [source]);

  return (
    <section class="pane source" aria-label="Source">
      <header class="pane-head">
        <h2 title={file}>{file === undefined ? 'Source' : shortName(file)}</h2>
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
