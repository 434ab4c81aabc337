// Who looks on while a worker runs: a snapshot, a debugger. What it is told comes before the thing itself, and nothing of the program is on the
// stack unless a turn says so. Nobody looks on most of the time, which costs a turn one look at whether somebody does.

import type { Actor } from './actors/actor.ts';
import type { Called } from './channels.ts';

export interface Onlooker {
  /** Before an actor changes: a turn, job, tick, native callback or settlement, an export or release of an object of it, a watcher. Waiting messages are no change. */
  touch?(actor: Actor): void;
  /** Native code is about to call the actor's: `entry` counts such calls since the turn of that number. */
  enter?(actor: Actor, turn: number, entry: number): void;
  /** Before a turn: the called object, the arguments or outcome, the asker or the settled eventual. Objects of the program, which must not be kept. */
  given?(on: object | undefined, args: readonly unknown[], settles: unknown): void;
  /** A turn of an actor begins: what it is about, and who has asked for it, if that is known. */
  begins?(turn: number, actor: Actor, call: Called, sender: Actor | undefined): void;
  /** It has ended, with all that came of it. */
  ends?(turn: number, actor: Actor, call: Called): void;
  /** The worker enters a phase, between two turns: what was sent before is of the phases before. `isBare`: it begins without a snapshot. */
  cut?(phase: number, isBare: boolean): void;
  /** A message of another worker is taken. If it was sent in a phase before this one, it was under way at every cut between. */
  take?(from: number, sentIn: number): void;
}
