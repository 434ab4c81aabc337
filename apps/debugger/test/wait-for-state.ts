import type { DebuggerSession } from '../src/model/debugger-session.ts';
import type { SessionState } from '../src/model/session-state.ts';

/** Resolves when the state matches. */
export function waitForState(
  session: DebuggerSession,
  predicate: (state: SessionState) => boolean,
): Promise<SessionState> {
  return new Promise((settle) => {
    const check = (): void => {
      if (!predicate(session.state)) return;
      unsubscribe();
      settle(session.state);
    };
    const unsubscribe = session.store.subscribe(check);
    check();
  });
}
