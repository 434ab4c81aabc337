// A hook that selects a part of the session state and renders the component again when that part changes.
import { useEffect, useReducer, useRef } from 'preact/hooks';
import type { DebuggerSession } from '../model/debugger-session.ts';
import type { SessionState } from '../model/session-state.ts';

/** @param select must return the same value while its part of the state is unchanged */
export function useSelector<R>(session: DebuggerSession, select: (state: SessionState) => R): R {
  const [, rerender] = useReducer((count: number, more: number) => count + more, 0);
  const selected = select(session.state);
  const latest = useRef({ select, chosen: selected });
  latest.current = { select, chosen: selected };
  useEffect(() => {
    const check = (): void => {
      const { select: latestSelect, chosen: lastSelected } = latest.current;
      if (!Object.is(latestSelect(session.state), lastSelected)) rerender(1);
    };
    check();
    return session.store.subscribe(check);
  }, [session]);
  return selected;
}
