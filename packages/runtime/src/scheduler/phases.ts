// The current phase of a worker, and the start of the next one. A snapshot of the worker starts each phase unless the
// phase is a cut point.

import type { WorkerLinks } from '../messaging/worker-links.ts';
import { CutPoints } from '../snapshot/cut-points.ts';
import type { WorkerSnapshots } from '../snapshot/worker-snapshots.ts';
import type { Ingests } from '../trace/ingests.ts';
import type { TurnObserver } from '../turn-observer.ts';

export interface PhasesDeps {
  readonly ingests: Ingests;
  readonly workerLinks: WorkerLinks;
  observer(): TurnObserver | undefined;
  /** Returns the milliseconds since 1970; in a replay, as recorded. */
  date(): number;
}

export class Phases {
  /** Number of the phase that the worker is in. */
  current = 0;
  /** Phases that begin without a snapshot; shared with all workers. */
  cutPoints = new CutPoints();
  /** Snapshots of this worker, if it takes any. */
  snapshots: WorkerSnapshots | undefined;
  /** Selects phases, in a replay that needs only their snapshots. */
  #shouldCapture: ((phase: number) => boolean) | undefined;
  readonly #deps: PhasesDeps;

  constructor(deps: PhasesDeps) {
    this.#deps = deps;
  }

  /** Starts a phase between two turns. A worker enters the phase on a control message, or on a message sent in it. */
  startPhase(phase: number): void {
    const { ingests } = this.#deps;
    ingests.add('phase', String(phase), () => {
      if (phase <= this.current) return false;
      // Recorded first, since later events belong to the new phase.
      ingests.record('phase', String(phase));
      this.enterPhase(phase);
      return false;
    });
  }

  /** Enters a phase unless the worker has reached it. Returns whether the phase is a new one. */
  enterPhase(phase: number): boolean {
    if (phase <= this.current) return false;
    const { ingests, workerLinks } = this.#deps;
    workerLinks.messageIngest.recordTaken();
    const date = this.#deps.date();
    // Everything recorded so far, including the date, precedes the cut.
    const isCutPoint = ingests.cut(phase, this.cutPoints.has(phase));
    this.current = phase;
    if (this.#shouldCapture?.(phase) ?? !isCutPoint) this.snapshots?.cut(phase, date);
    else this.snapshots?.skip();
    this.#deps.observer()?.cut?.(phase, isCutPoint);
    workerLinks.sendMarkers(phase);
    return true;
  }

  /** Sets the phase in which the worker starts. */
  startInPhase(phase: number): void {
    this.current = phase;
    if (phase > 0) this.#deps.workerLinks.sendMarkers(phase);
  }

  /** In a replay: takes snapshots only in selected phases. `shouldCapture` must agree on all workers. */
  skipSnapshots(shouldCapture: (phase: number) => boolean): void {
    this.#shouldCapture = shouldCapture;
  }
}
