// Programs of this user that are running and can be recorded.
import type { OfferedService } from '@turntable/time-machine/services';

/** Programs of this user that are running. */
export interface Services {
  list(): Promise<readonly OfferedService[]>;
  /** How they are when it has been done. Rejects with why it is refused. */
  ask(pid: number, wish: string): Promise<readonly OfferedService[]>;
  /** Into what it has recorded so far. Rejects with NotOpened. */
  look(pid: number): Promise<void>;
}
