// The phases of a worker: which one it is in, and what happens when the next one begins. A phase begins with a snapshot of the worker unless it is bare.

import type { WorkerLinks } from '../messaging/worker-links.ts';
import { CutPoints } from '../snapshot/cut-points.ts';
import type { WorkerSnapshots } from '../snapshot/worker-snapshots.ts';
import type { Ingests } from '../trace/ingests.ts';
import type { TurnObserver } from '../turn-observer.ts';

export interface PhasesDeps {
  readonly ingests: Ingests;
  readonly workerLinks: WorkerLinks;
  observer(): TurnObserver | undefined;
  /** Milliseconds since 1970; in a replay, as recorded. */
  date(): number;
}

export class Phases {
  /** Number of the phase that the worker is in. */
  current = 0;
  /** Phases that begin without a snapshot; shared with all workers. */
  cutPoints = new CutPoints();
  /** Snapshots of this worker, if it keeps any. */
  snapshots: WorkerSnapshots | undefined;
  /** In a replay that wants some of its states, or none: the phases whose states it wants. */
  #shouldCapture: ((phase: number) => boolean) | undefined;
  readonly #deps: PhasesDeps;

  constructor(deps: PhasesDeps) {
    this.#deps = deps;
  }

  /** Begins a phase between two turns: on the main thread when it says so, on others when they are told or meet a message of that phase. */
  startPhase(phase: number): void {
    const { ingests } = this.#deps;
    ingests.add('phase', String(phase), () => {
      if (phase <= this.current) return false;
      // First: what comes then is of that phase.
      ingests.record('phase', String(phase));
      this.enterPhase(phase);
      return false;
    });
  }

  /** Answers whether the phase is a new one. */
  enterPhase(phase: number): boolean {
    if (phase <= this.current) return false;
    const { ingests, workerLinks } = this.#deps;
    workerLinks.messageIngest.recordTaken();
    const date = this.#deps.date();
    // What was noted so far, the date among it, is before the cut.
    const isCutPoint = ingests.cut(phase, this.cutPoints.has(phase));
    this.current = phase;
    if (this.#shouldCapture?.(phase) ?? !isCutPoint) this.snapshots?.cut(phase, date);
    else this.snapshots?.skip();
    this.#deps.observer()?.cut?.(phase, isCutPoint);
    workerLinks.sendMarkers(phase);
    return true;
  }

  /** The worker was not there in earlier phases. */
  startInPhase(phase: number): void {
    this.current = phase;
    if (phase > 0) this.#deps.workerLinks.sendMarkers(phase);
  }

  /** In a replay: writes states only of the phases that are wanted. @param shouldCapture called once for each phase; must answer the same on all workers */
  skipSnapshots(shouldCapture: (phase: number) => boolean): void {
    this.#shouldCapture = shouldCapture;
  }
}
