import type { Session } from '../src/model/session.ts';
import type { State } from '../src/model/state.ts';

/** Settles when the state is so. */
export function until(session: Session, isSo: (state: State) => boolean): Promise<State> {
  return new Promise((settle) => {
    const look = (): void => {
      if (!isSo(session.state)) return;
      unwatch();
      settle(session.state);
    };
    const unwatch = session.store.watch(look);
    look();
  });
}
