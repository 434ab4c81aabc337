// State of a scheduler between two turns, as snapshots write it and restored workers read it.

import type { ActorCell } from '../actors/actor-cell.ts';
import type { CensusState } from '../actors/census.ts';
import type { ActorPlacementState } from '../actors/actor-placement.ts';
import type { DeadlinesState } from '../messaging/answer/deadlines.ts';
import type { TrackedReply } from '../messaging/answer/deadline-trail.ts';
import type { QueueState } from '../messaging/queue-state.ts';
import type { WorkerLinksState } from '../messaging/worker-links.ts';
import type { AppRequest } from './app-requests.ts';

/** State of a scheduler between two turns, except the actors themselves and the reactions of eventuals. */
export interface SchedulerState {
  readonly phase: number;
  /** Ordinal of the actor that was spawned last. */
  readonly lastSpawned: number;
  readonly turns: number;
  readonly rounds: number;
  /** Number of ticks and drains of jobs, as traces count them. */
  readonly steps: number;
  /** Maximum number of turns in the next round. */
  readonly turnsPerRound: number;
  readonly queue: QueueState<ActorCell>;
  readonly workerLinks: WorkerLinksState;
  readonly deadlines: DeadlinesState;
  readonly trackedCalls: readonly TrackedReply[];
  /** Pending requests to Turntable. */
  readonly appRequests: readonly AppRequest[];
  /** Number of the last request to Turntable. */
  readonly lastAppRequest: number;
  readonly census: CensusState;
  /** Placement of actors spawned from this worker; undefined if there is only one thread. */
  readonly actorPlacement: ActorPlacementState | undefined;
}
