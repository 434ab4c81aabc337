// What waits for actors at a place of the order, as far as a recording tells: what their later turns are about, if that was sent before. So it is a function of the place alone, whatever has
// arrived where in the process that stands there.
import type { Position } from '../position.ts';
import type { Survey } from './survey.ts';

/** Of one actor, by the order of its turns from the place on. */
export interface LaterTurns {
  /** The order number of each. */
  readonly turns: readonly number[];
  /** Whether what it is about was sent before; nothing if only the process itself knows. */
  readonly areSent: readonly (boolean | undefined)[];
}

const NONE: LaterTurns = { turns: [], areSent: [] };

export class LaterTurnsOfAll {
  readonly #byActor = new Map<string, { turns: number[]; areSent: (boolean | undefined)[] }>();

  constructor(survey: Survey, { order, list, statement }: Position) {
    const isWithin = list > 0 || statement > 0;
    const { worker: here } = isWithin ? survey.stretch(order) : { worker: undefined };
    survey.turnsFrom(isWithin ? order + 1 : order, (turn, worker, actor, sender) => {
      const key = keyOf(worker, actor);
      let its = this.#byActor.get(key);
      if (its === undefined) this.#byActor.set(key, (its = { turns: [], areSent: [] }));
      its.turns.push(turn);
      its.areSent.push(isSent(sender, worker));
    });

    // What the stretch has sent that one stands in the midst of is seen by those of its own thread alone.
    function isSent(sender: number | undefined, worker: number): boolean | undefined {
      if (sender === undefined) return undefined;
      if (isWithin && sender === order) return worker === here ? undefined : false;
      return sender < order;
    }
  }

  of(worker: number, actor: string): LaterTurns {
    return this.#byActor.get(keyOf(worker, actor)) ?? NONE;
  }
}

/**
 * Which of its messages wait for an actor: those that are there, by their places among these, and of those under way the turns to which they lead.
 * @param there how many are there where it lives, the first of which the first of its later turns is about
 */
export function waitingAmong(
  { turns, areSent }: LaterTurns,
  there: number,
): { readonly at: number; readonly turn: number | undefined }[] {
  const found: { at: number; turn: number | undefined }[] = [];
  for (let at = 0; at < Math.max(there, turns.length); at++)
    if (at >= turns.length || (areSent[at] ?? at < there)) found.push({ at, turn: turns[at] });
  return found;
}

function keyOf(worker: number, actor: string): string {
  return `${worker} ${actor}`;
}
