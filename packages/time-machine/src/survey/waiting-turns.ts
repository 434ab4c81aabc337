// What waits for an actor at a place of the order, as far as a recording tells: what its later turns are about, and what has come to none up to the end, if that was sent before. So it is a
// function of the place alone, whatever has arrived where in the process that stands there.
import { firstFrom } from '../first-from.ts';
import type { StretchKind } from '../notes.ts';
import { isBeginning, type Position } from '../position.ts';
import type { SurveyIndex } from './survey-index.ts';

export interface ActorThere {
  readonly worker: number;
  readonly life: number;
  readonly name: string;
}

export interface WaitingTurn {
  /** The place among those that have arrived where it lives; not lower than their number, if it is under way. */
  readonly at: number;
  /** The stretch that it is about; nothing, if it never came to that. */
  readonly order: number | undefined;
  /** That has sent it. */
  readonly sender: number | undefined;
  /** What it calls, if it never came to a stretch, and that is known. */
  readonly what: string | undefined;
}

/** Kinds that are no turns. */
const OTHERS: ReadonlySet<StretchKind> = new Set(['evaluation', 'entry', 'jobs']);

/** @param there how many have arrived where it lives: the first of them is what the first of its later turns is about, and so on */
export function waitingTurns(
  index: SurveyIndex,
  position: Position,
  { worker, life, name }: ActorThere,
  there: number,
): WaitingTurn[] {
  const found: WaitingTurn[] = [];
  const stretches = index.performerCalled(worker, name)?.stretches ?? new Uint32Array();
  const isWithin = !isBeginning(position);
  const begin = isWithin ? position.order + 1 : position.order;
  const isHere = isWithin && index.worker(position.order) === worker;
  let at = 0;
  const wait = (order: number | undefined, sender: number | undefined, what?: string): void => {
    // What the stretch has sent that one stands in the midst of is seen by those of its own thread alone; and of what has no sender only the process knows.
    const isKnown = sender !== undefined && !(isWithin && sender === position.order && isHere);
    if (isKnown ? sender < position.order : at < there) found.push({ at, order, sender, what });
    at++;
  };
  for (let i = firstFrom(stretches, begin); i < stretches.length; i++) {
    const order = stretches[i] as number;
    if (index.life(order) !== life || OTHERS.has(index.kind(order))) continue;
    wait(order, index.sender(order));
  }
  const left = index.leftFor(worker, life, name);
  for (const { sender, what } of left) wait(undefined, sender, what);
  if (left.length > 0) return found;
  // Of what is not noted: whoever was ended has dropped it.
  for (; at < there; at++) found.push({ at, order: undefined, sender: undefined, what: undefined });
  return found;
}

/** Whether an actor has begun to be made there; of one whose making is in no survey, it has been before. */
export function isMade(index: SurveyIndex, position: Position, { worker, life, name }: ActorThere): boolean {
  const its = index.performerCalled(worker, name);
  if (its?.birth === undefined) return true;
  const made = its.stretches.find((order) => index.life(order) === life && index.kind(order) === 'construct');
  return made === undefined || made < position.order || (made === position.order && !isBeginning(position));
}
