// The source file of the current position or of a line that the user looks at, with the values of variables.
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { displayPath } from '@turntable/time-machine/client';
import type { JSX } from 'preact';

import { breakpointsInFile } from '../model/breakpoints.ts';
import { lineValues } from '../model/inline-values.ts';
import { SourceTree } from '../model/source-tree.ts';
import type { DebuggerSession } from '../model/debugger-session.ts';
import { shownLocation } from '../model/session-state.ts';
import { SourceEditor } from './editor.ts';
import { Tabs } from './tabs.tsx';
import { useSelector } from './use-selector.ts';

export function SourceView({ session }: { readonly session: DebuggerSession }): JSX.Element {
  const source = useSelector(session, (state) => state.source);
  const cursor = useSelector(session, (state) => state.cursor);
  const entries = useSelector(session, (state) => state.tree.roots);
  const frame = useSelector(session, (state) => (state.frameIndex === 0 ? undefined : state.frames[state.frameIndex]));
  const breakpoints = useSelector(session, (state) => state.breakpoints);
  const isLooking = useSelector(session, (state) => state.isLoading);
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<SourceEditor>(undefined);
  const file = source?.file;

  useEffect(() => {
    if (host.current === null) return undefined;
    const newEditor = new SourceEditor(host.current, {
      toggleBreakpoint: (line) => {
        const { source: shownSource } = session.state;
        if (shownSource !== undefined) void session.toggleBreakpoint(shownSource.file, line);
      },
      traceWrite: (text, line, column) => {
        const expression = new SourceTree(text).expressionAt(line, column);
        if (expression === undefined) session.showNotice('Put the caret into a name to find its last write.');
        else void session.writeHistory.trace(expression);
      },
    });
    editor.current = newEditor;
    return () => newEditor.destroy();
  }, [session]);

  const location = shownLocation(cursor);
  const lines = useMemo(() => source?.text?.split('\n') ?? [], [source]);
  useEffect(() => {
    if (file === undefined) return;
    const isCurrentFile = location?.file === file;
    // The values belong to the selected frame, which may be at another line than the current statement.
    const valuesLocation = frame === undefined ? location : frame.location;
    const hasValues =
      valuesLocation !== undefined && valuesLocation.file === file && cursor?.statement !== undefined && !isLooking;
    editor.current?.show(source?.text ?? '', {
      highlight: isCurrentFile ? location : undefined,
      values: hasValues ? lineValues(lines, valuesLocation.line, entries) : [],
      breakpoints: breakpointsInFile(breakpoints, file),
    });
  }, [source, cursor, entries, breakpoints, isLooking, frame]);
  useEffect(() => {
    if (source?.line !== undefined) editor.current?.reveal(source.line);
  }, [source]);

  return (
    <section class="pane source" aria-label="Source">
      <header class="pane-head">
        <Tabs session={session} pane="middle" />
        {file !== undefined && <h2 title={file}>{shortPath(file)}</h2>}
        {location !== undefined && location.file === file && (
          <span class="quiet">
            line {location.line}
            {cursor?.statement === undefined ? '' : `, ${cursor.statement.function || '(module)'}`}
          </span>
        )}
        <span class="push" />
        <button
          type="button"
          class="plain"
          title="Find in this file (Ctrl+F in it)"
          onClick={() => editor.current?.openSearch()}
          disabled={source?.text === undefined}
        >
          Find
        </button>
      </header>
      <div class="editor" ref={host} hidden={source?.text === undefined} />
      {source === undefined ? (
        <p class="empty">Step into a task to see its statements: press N, or click a task.</p>
      ) : (
        source.text === undefined && (
          <p class="empty">
            The text of {shortPath(source.file)} is not recorded: the file is not part of the program.
          </p>
        )
      )}
    </section>
  );
}

export function shortPath(file: string): string {
  return displayPath(file, 2);
}
