// The phases of a worker: which one it is in, and what happens when the next one begins. A phase begins with a snapshot of the worker unless it is bare.

import type { Neighbours } from '../messaging/neighbours.ts';
import { BarePhases } from '../snapshot/bare-phases.ts';
import type { Snapshots } from '../snapshot/snapshots.ts';
import type { Ingests } from '../trace/ingests.ts';
import type { Onlooker } from '../onlooker.ts';

export interface PhasesDeps {
  readonly ingests: Ingests;
  readonly neighbours: Neighbours;
  onlooker(): Onlooker | undefined;
  /** Milliseconds since 1970; in a replay, as recorded. */
  date(): number;
}

export class Phases {
  /** Number of the phase that the worker is in. */
  current = 0;
  /** Phases that begin without a snapshot; shared with all workers. */
  bare = new BarePhases();
  /** Snapshots of this worker, if it keeps any. */
  snapshots: Snapshots | undefined;
  /** In a replay that wants some of its states, or none: the phases whose states it wants. */
  #isWanted: ((phase: number) => boolean) | undefined;
  readonly #deps: PhasesDeps;

  constructor(deps: PhasesDeps) {
    this.#deps = deps;
  }

  /** Begins a phase between two turns: on the main thread when it says so, on others when they are told or meet a message of that phase. */
  begin(phase: number): void {
    const { ingests } = this.#deps;
    ingests.happened('phase', String(phase), () => {
      if (phase <= this.current) return false;
      // First: what comes then is of that phase.
      ingests.note('phase', String(phase));
      this.enter(phase);
      return false;
    });
  }

  /** Answers whether the phase is a new one. */
  enter(phase: number): boolean {
    if (phase <= this.current) return false;
    const { ingests, neighbours } = this.#deps;
    neighbours.taking.noteTaken();
    const date = this.#deps.date();
    // What was noted so far, the date among it, is before the cut.
    const isBare = ingests.cut(phase, this.bare.has(phase));
    this.current = phase;
    if (this.#isWanted?.(phase) ?? !isBare) this.snapshots?.cut(phase, date);
    else this.snapshots?.pass();
    this.#deps.onlooker()?.cut?.(phase, isBare);
    neighbours.mark(phase);
    return true;
  }

  /** The worker was not there in earlier phases. */
  bornIn(phase: number): void {
    this.current = phase;
    if (phase > 0) this.#deps.neighbours.mark(phase);
  }

  /** In a replay: writes states only of the phases that are wanted. @param isWanted called once for each phase; must answer the same on all workers */
  passCuts(isWanted: (phase: number) => boolean): void {
    this.#isWanted = isWanted;
  }
}
