// Observer of a running worker, such as a snapshot or a debugger. It is notified before each event, with none of the
// program on the stack unless stated. Without an observer, as is usual, a turn costs a single check.

import type { ActorCell } from './actors/actor-cell.ts';
import type { TurnSubject } from './channels.ts';

export interface TurnObserver {
  /**
   * Called before an actor changes: turn, job, tick, callback, settlement, export, release, watcher. Not for queueing.
   */
  touch?(actor: ActorCell): void;
  /** Called before the host calls the actor. `entry` counts such calls since the turn with that number. */
  beforeHostCallback?(actor: ActorCell, turn: number, entry: number): void;
  /** Called before a turn, with the called object, arguments or outcome, and reply target. They must not be kept. */
  turnInput?(target: object | undefined, args: readonly unknown[], replyTo: unknown): void;
  /** Called when a turn of an actor starts; `sender` is undefined if it is unknown. */
  turnStarted?(turn: number, actor: ActorCell, call: TurnSubject, sender: ActorCell | undefined): void;
  /** Called when a turn has ended, with its jobs. */
  turnEnded?(turn: number, actor: ActorCell, call: TurnSubject): void;
  /** Called when the worker enters a phase, between two turns. `isCutPoint`: the phase begins without a snapshot. */
  cut?(phase: number, isCutPoint: boolean): void;
  /** Called when a message of another worker is taken. It was in flight at each cut after the phase `sentIn`. */
  messageTaken?(from: number, sentIn: number): void;
}
