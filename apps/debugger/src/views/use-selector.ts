// What a view shows of the state: it is drawn anew when that has become another.
import { useEffect, useReducer, useRef } from 'preact/hooks';
import type { DebuggerSession } from '../model/debugger-session.ts';
import type { SessionState } from '../model/session-state.ts';

/** @param select what it needs: the same, as long as nothing of it has changed */
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
