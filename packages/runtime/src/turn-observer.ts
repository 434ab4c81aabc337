// Who looks on while a worker runs: a snapshot, a debugger. What it is told comes before the thing itself, and nothing of the program is on the
// stack unless a turn says so. Nobody looks on most of the time, which costs a turn one look at whether somebody does.

import type { ActorCell } from './actors/actor-cell.ts';
import type { TurnSubject } from './channels.ts';

export interface TurnObserver {
  /** Before an actor changes: a turn, job, tick, native callback or settlement, an export or release of an object of it, a watcher. Waiting messages are no change. */
  touch?(actor: ActorCell): void;
  /** Native code is about to call the actor's: `entry` counts such calls since the turn of that number. */
  beforeHostCallback?(actor: ActorCell, turn: number, entry: number): void;
  /** Before a turn: the called object, the arguments or outcome, the asker or the settled eventual. Objects of the program, which must not be kept. */
  turnInput?(target: object | undefined, args: readonly unknown[], replyTo: unknown): void;
  /** A turn of an actor begins: what it is about, and who has asked for it, if that is known. */
  turnStarted?(turn: number, actor: ActorCell, call: TurnSubject, sender: ActorCell | undefined): void;
  /** It has ended, with all that came of it. */
  turnEnded?(turn: number, actor: ActorCell, call: TurnSubject): void;
  /** The worker enters a phase, between two turns: what was sent before is of the phases before. `isBare`: it begins without a snapshot. */
  cut?(phase: number, isCutPoint: boolean): void;
  /** A message of another worker is taken. If it was sent in a phase before this one, it was under way at every cut between. */
  messageTaken?(from: number, sentIn: number): void;
}
