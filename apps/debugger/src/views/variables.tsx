// The variables of the selected frame as a tree.
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { DebuggerSession } from '../model/debugger-session.ts';
import { Tabs } from './tabs.tsx';
import { TreeView, type ValueActions } from './tree-view.tsx';
import { useSelector } from './use-selector.ts';

export function VariablesView({ session }: { readonly session: DebuggerSession }): JSX.Element {
  const tree = useSelector(session, (state) => state.tree);
  const cursor = useSelector(session, (state) => state.cursor);
  const isLooking = useSelector(session, (state) => state.isLoading);
  const frame = useSelector(session, (state) => (state.frameIndex === 0 ? undefined : state.frames[state.frameIndex]));
  const actions = useMemo(() => valueActionsOf(session), [session]);
  return (
    <section class="pane values" aria-label="Variables" aria-busy={isLooking}>
      <header class="pane-head">
        <Tabs session={session} pane="top" />
        {frame !== undefined && (
          <span class="badge is-relation">
            {frame.function === '' ? '(module)' : frame.function}
            <button
              type="button"
              class="plain"
              aria-label="Select the innermost frame"
              title="Select the innermost frame"
              onClick={() => void session.selectFrame(0)}
            >
              ✕
            </button>
          </span>
        )}
        {isLooking && <span class="quiet appears">replaying…</span>}
      </header>
      <TreeView label="Variables" tree={tree} expander={session.variables} isStale={isLooking} actions={actions} />
      {tree.roots.length === 0 && !isLooking && (
        <p class="empty">
          {cursor?.statement === undefined
            ? 'No variables before the first statement of a task.'
            : 'No variables here.'}
        </p>
      )}
    </section>
  );
}

/** Returns the actions for variables, whose expressions are evaluated at the position of the selected frame. */
function valueActionsOf(session: DebuggerSession): ValueActions {
  const { writeHistory } = session;
  return {
    traceWrite: (expression) => void session.atSelectedFrame((context) => writeHistory.trace(expression, context)),
    moveToSend: (expression) => void session.atSelectedFrame((context) => writeHistory.moveToSend(expression, context)),
  };
}
