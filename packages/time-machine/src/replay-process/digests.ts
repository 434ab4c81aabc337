// The state of a whole recording where its engine stands, as digests: equal for equal states, whatever way the engine has come there (docs/engine.md, "The same state").
import type { Position } from '../position.ts';
import type { Survey } from '../survey/survey.ts';
import { SurveyIndex } from '../survey/survey-index.ts';
import { isMade, waitingTurns, type WaitingTurn } from '../survey/waiting-turns.ts';
import type { ThreadName, ThreadRequests } from './protocol.ts';

/** Of a worker of which something has run. */
export interface WorkerDigest extends ThreadName {
  /** Of its files, of what it is about to do, of the statement that it stands before, of actors, and of what has been sent to them here. */
  readonly digest: string;
  /** Those of its actors that have a turn to come, and what waits for each. */
  readonly actors: readonly { readonly name: string; readonly waiting: readonly WaitingDigest[] }[];
}

/** A message by the stretch that it is about, and the one that has sent it. */
export interface WaitingDigest {
  readonly order: number | undefined;
  readonly sender: number;
}

type Ask = (thread: ThreadName, wanted: ThreadRequests['digest']['params']) => Promise<string>;

/** @param awaited whether it counts as well who waits for what nothing leads to: the same for processes that have begun at the same place */
export async function digestsAt(
  survey: Survey,
  position: Position,
  threads: readonly ThreadName[],
  ask: Ask,
  awaited: boolean,
): Promise<WorkerDigest[]> {
  const index = SurveyIndex.of(survey);
  const digests: WorkerDigest[] = [];
  for (const { worker, life } of threads) {
    // Whether a thread is there of which nothing has run is not the program's.
    if ((survey.orderOf(worker, life, 1) ?? Infinity) >= position.order) continue;
    const actors = index.performers.flatMap((each) => {
      const its = { worker, life, name: each.name };
      const isLeft = each.worker === worker && (each.stretches.at(-1) ?? 0) >= position.order;
      if (!isLeft || !isMade(index, position, its)) return [];
      return [{ name: each.name, turns: waitingTurns(index, position, its, 0) }];
    });
    // What comes of elsewhere has arrived, or not yet.
    const isHere = ({ sender }: WaitingTurn): boolean => sender !== undefined && index.worker(sender) === worker;
    const wanted = actors.map(({ name, turns }) => ({ name, mail: turns.filter(isHere).map(({ at }) => at) }));
    const told = actors.map(({ name, turns }) => ({
      name,
      waiting: turns.flatMap(({ order, sender }) => (sender === undefined ? [] : [{ order, sender }])),
    }));
    const statement = position.order <= survey.count && index.worker(position.order) === worker;
    const digest = await ask({ worker, life }, { actors: wanted, statement, awaited });
    digests.push({ worker, life, digest, actors: told });
  }
  return digests;
}
