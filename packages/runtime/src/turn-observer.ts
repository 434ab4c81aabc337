// Observer of a running worker: a snapshot, a debugger. It is notified before each event, and none of the program is on
// the stack unless stated. Usually there is no observer, which costs a turn a single check.

import type { ActorCell } from './actors/actor-cell.ts';
import type { TurnSubject } from './channels.ts';

export interface TurnObserver {
  /**
   * Before an actor changes: turn, job, tick, callback, settlement, export, release, watcher. Queueing is no change.
   */
  touch?(actor: ActorCell): void;
  /** The host is about to call the actor; `entry` counts such calls since the turn with that number. */
  beforeHostCallback?(actor: ActorCell, turn: number, entry: number): void;
  /** Before a turn: called object, arguments or outcome, and reply target. Observers must not keep them. */
  turnInput?(target: object | undefined, args: readonly unknown[], replyTo: unknown): void;
  /** A turn of an actor starts; `sender` is undefined if it is unknown. */
  turnStarted?(turn: number, actor: ActorCell, call: TurnSubject, sender: ActorCell | undefined): void;
  /** A turn has ended, with its jobs. */
  turnEnded?(turn: number, actor: ActorCell, call: TurnSubject): void;
  /** The worker enters a phase, between two turns. `isCutPoint`: the phase begins without a snapshot. */
  cut?(phase: number, isCutPoint: boolean): void;
  /** A message of another worker is taken. If sent in an earlier phase, it was in flight at every cut between. */
  messageTaken?(from: number, sentIn: number): void;
}
