// What a view shows of the state: it is drawn anew when that has become another.
import { useEffect, useReducer, useRef } from 'preact/hooks';
import type { Session } from '../model/session.ts';
import type { State } from '../model/state.ts';

/** @param select what it needs: the same, as long as nothing of it has changed */
export function useSelected<R>(session: Session, select: (state: State) => R): R {
  const [, drawAnew] = useReducer((count: number, more: number) => count + more, 0);
  const chosen = select(session.state);
  const latest = useRef({ select, chosen });
  latest.current = { select, chosen };
  useEffect(() => {
    const look = (): void => {
      const { select: its, chosen: shown } = latest.current;
      if (!Object.is(its(session.state), shown)) drawAnew(1);
    };
    look();
    return session.store.watch(look);
  }, [session]);
  return chosen;
}
