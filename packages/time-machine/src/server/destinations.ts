// Where moves lead: those that the survey knows, and those for which the program has to run again.
import type { Conductor } from '../conductor/conductor.ts';
import { STEPS, type ConductedMove } from '../conductor/steps.ts';
import type { Origin } from '../conductor/ways.ts';
import { argumentsFor } from '../moves/arguments-of-moves.ts';
import {
  landingOf,
  meantBy,
  nothingOf,
  placesOf,
  type Arguments,
  type Direction,
  type Landing,
  type Move,
} from '../moves/move.ts';
import { MOVES } from '../moves/moves.ts';
import { isSaid } from '../notes.ts';
import { beginOf, isBeginning, type Position } from '../position.ts';
import { ERRORS, type ParamsOf, type ResultOf } from '../protocol.ts';
import type { SurveyIndex } from '../survey/survey-index.ts';
import { pause, type Asker } from './asker.ts';
import { notInside, Refusal } from './refusal.ts';
import type { StateOf } from '../replay-process/protocol.ts';

/** Where a move leads, and what is to be said of that; or why it leads nowhere. */
export type Found =
  | {
      readonly position: Position;
      readonly note?: string;
      readonly origin?: Origin;
      readonly breakpoints?: readonly number[];
    }
  | { readonly why: string };

export class Destinations {
  readonly #index: SurveyIndex;
  readonly #conductor: Conductor | undefined;

  /** @param conductor where stretches are gone into */
  constructor(index: SurveyIndex, conductor: Conductor | undefined) {
    this.#index = index;
    this.#conductor = conductor;
  }

  get all(): readonly (Move | ConductedMove)[] {
    return this.#conductor === undefined ? MOVES : [...STEPS, ...MOVES];
  }

  named(id: string): Move | ConductedMove {
    const all = this.all;
    const move = all.find((each) => each.id === id);
    if (move !== undefined) return move;
    const known = all.map((each) => each.id).join(', ');
    throw new Refusal(ERRORS.params, `there is no move ${JSON.stringify(id)}; there are ${known}`);
  }

  /** From a position. @param of whom an expression is asked, if not of who has the turn there */
  async find(
    { move: id, direction, arguments: given = {} }: ParamsOf<'move'>,
    position: Position,
    asker: Asker,
    of?: StateOf,
  ): Promise<Found> {
    const inside = this.#conductor;
    const move = this.named(id);
    if (direction !== undefined && move.directions.length === 0)
      throw new Refusal(ERRORS.params, `the move ${id} has no direction: it leads to one place`);
    const its = argumentsFor(move, given, this.#index);
    if (typeof its === 'string') throw new Refusal(ERRORS.params, its);
    const step = { from: position, direction: direction ?? 'forward' };
    if ('conducts' in move) {
      if (inside === undefined) throw notInside();
      const found = await move.conducts(inside, { ...step, of }, asker, its);
      if (found === undefined) return nothingOf(move, step.direction);
      return 'order' in found ? { position: found } : found;
    }
    if ('marks' in move && inside !== undefined) {
      const meant = {
        stretches: placesOf(move, this.#index, its),
        kinds: move.marks,
        isMeant: meantBy(its) ?? (() => true),
      };
      const found = await inside.happening(step, meant, asker);
      return found === undefined ? nothingOf(move, step.direction) : { position: found };
    }
    const landing = await this.#landingOf(move, { ...step, its }, asker);
    if ('why' in landing) return landing;
    const { place, position: within = beginOf(place) } = landing;
    if (isBeginning(within)) return { position: within };
    if (inside === undefined)
      return { why: 'stretches are not run again statement by statement here: only their beginnings can be gone to' };
    if ((await inside.placeOf(within, asker.signal)) !== undefined) return { position: within };
    return { why: `stretch ${within.order} has no statement ${within.list}.${within.statement}` };
  }

  propose({ move, parameter, start = '', count }: ParamsOf<'propose'>): ResultOf<'propose'> {
    const its = this.named(move);
    const kind = its.parameters.find(({ name }) => name === parameter)?.kind;
    if (kind === undefined) throw new Refusal(ERRORS.params, `the move ${move} has no parameter "${parameter}"`);
    const { performers, survey } = this.#index;
    const all =
      kind === 'worker'
        ? survey.threads.map(({ worker }) => String(worker))
        : kind === 'source'
          ? this.#index.sources
          : kind === 'pattern' && parameter === 'actor'
            ? performers.map(({ name }) => name)
            : 'marks' in its
              ? its.marks.flatMap((mark) => (isSaid(mark) ? this.#index.survey.textsOf(mark) : []))
              : [];
    return { values: [...new Set(all)].filter((each) => each.startsWith(start)).slice(0, count) };
  }

  async #landingOf(
    move: Move,
    { from: position, direction, its }: { from: Position; direction: Direction; its: Arguments },
    asker: Asker,
  ): Promise<Landing> {
    const from = { place: position.order, isWithin: !isBeginning(position) };
    const search = landingOf(move, { index: this.#index, from, direction, its });
    for (let step = search.next(); ; step = search.next()) {
      if (step.done === true) return step.value;
      await pause(asker, step.value, this.#index.count);
    }
  }
}
