// State of a scheduler between two turns, which snapshots write and restored workers begin with.

import type { ActorCell } from '../actors/actor-cell.ts';
import type { CensusState } from '../actors/census.ts';
import type { ActorPlacementState } from '../actors/actor-placement.ts';
import type { DeadlinesState } from '../messaging/answer/deadlines.ts';
import type { TrackedReply } from '../messaging/answer/deadline-trail.ts';
import type { QueueState } from '../messaging/queue-state.ts';
import type { WorkerLinksState } from '../messaging/worker-links.ts';
import type { AppRequest } from './app-requests.ts';

/** All that a scheduler keeps in mind, between two turns, beside the actors themselves and what hangs on their eventuals. */
export interface SchedulerState {
  readonly phase: number;
  /** Of the actor that was spawned last. */
  readonly lastSpawned: number;
  readonly turns: number;
  readonly rounds: number;
  /** Ticks and drains of jobs, as traces count them. */
  readonly steps: number;
  /** Turns of the next one. */
  readonly turnsPerRound: number;
  readonly queue: QueueState<ActorCell>;
  readonly workerLinks: WorkerLinksState;
  readonly deadlines: DeadlinesState;
  readonly trackedCalls: readonly TrackedReply[];
  /** What actors have asked Turntable. */
  readonly appRequests: readonly AppRequest[];
  /** So many questions so far. */
  readonly lastAppRequest: number;
  readonly census: CensusState;
  /** Where actors were placed from here; nothing where none can be. */
  readonly actorPlacement: ActorPlacementState | undefined;
}
