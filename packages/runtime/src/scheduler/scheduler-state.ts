// State of a scheduler between two turns, which snapshots write and restored workers begin with.

import type { Actor } from '../actors/actor.ts';
import type { CensusState } from '../actors/census.ts';
import type { PlacesState } from '../actors/placement.ts';
import type { DeadlinesState } from '../messaging/answer/deadline.ts';
import type { Tracked } from '../messaging/answer/trail.ts';
import type { QueueState } from '../messaging/queue-state.ts';
import type { NeighboursState } from '../messaging/neighbours.ts';
import type { Asked } from './questions.ts';

/** All that a scheduler keeps in mind, between two turns, beside the actors themselves and what hangs on their eventuals. */
export interface SchedulerState {
  readonly phase: number;
  /** Of the actor that was spawned last. */
  readonly spawned: number;
  readonly turns: number;
  readonly rounds: number;
  /** Ticks and drains of jobs, as traces count them. */
  readonly steps: number;
  /** Turns of the next one. */
  readonly round: number;
  readonly queue: QueueState<Actor>;
  readonly neighbours: NeighboursState;
  readonly deadlines: DeadlinesState;
  readonly tracked: readonly Tracked[];
  /** What actors have asked Turntable. */
  readonly asked: readonly Asked[];
  /** So many questions so far. */
  readonly questions: number;
  readonly census: CensusState;
  /** Where actors were placed from here; nothing where none can be. */
  readonly places: PlacesState | undefined;
}
