/*
 * Goes through all interleavings of a scenario, and looks at each snapshot as soon as it is whole. It is compared with three things that were
 * got without the protocol: copies of all workers at their cuts, the states that the program can be in when nobody takes snapshots, and how it
 * can end from there.
 */
import { canonicalText } from './canonical.ts';
import type { Fault } from './faults.ts';
import type { CutState, Message, Part, ModelState, ModelWorker } from './model.ts';
import { restore, type ClusterState } from './restore.ts';
import type { Scenario } from './scenarios.ts';
import { describeStep, stateKeyText, StateSpace, type StateKey, type ExplorerStep } from './space.ts';

export interface ExploreResult {
  /** How many states of the whole there are. */
  readonly states: number;
  /** How many different snapshots were restored. */
  readonly snapshots: number;
  /** What is wrong, and the steps that lead there. */
  readonly problem: string | undefined;
}

/** `wide`: of all that is wrong, what the fewest steps lead to. `deep` sooner finds something. */
export function explore(scenario: Scenario, fault?: Fault, order: 'wide' | 'deep' = 'wide'): ExploreResult {
  const { workers, phases, loss, methods, initialState: begin } = scenario;
  const space = new StateSpace({ workers, phases, loss, methods, fault });
  const oracle = new Oracle(new StateSpace({ workers, phases: 0, loss, methods, fault: undefined }), begin);
  const first = space.keyOf(begin);
  const ways = new Map<string, FirstPath | undefined>([[stateKeyText(first), undefined]]);
  const places = [first];
  let looked = 0;

  for (;;) {
    const place = order === 'deep' ? places.pop() : places[looked++];
    if (place === undefined) return { states: ways.size, snapshots: oracle.snapshots, problem: undefined };
    const wrong = look(place);
    if (wrong !== undefined) return { states: ways.size, snapshots: oracle.snapshots, problem: wrong };
  }

  /** Answers what is wrong there, and where one can go from there. */
  function look(place: StateKey): string | undefined {
    const steps = space.stepsAt(place);
    const unsound = oracle.check(space, place, steps.length === 0);
    if (unsound !== undefined) return [scenario.name, ...wayTo(place), unsound].join('\n');
    for (const step of steps) {
      let next: StateKey;
      try {
        next = space.after(place, step);
      } catch (error) {
        return [scenario.name, ...wayTo(place), describeStep(space, place, step), String(error)].join('\n');
      }
      const key = stateKeyText(next);
      if (ways.has(key)) continue;
      ways.set(key, { from: place, step });
      places.push(next);
    }
    return undefined;
  }

  function wayTo(place: StateKey): string[] {
    const lines: string[] = [];
    for (let way = ways.get(stateKeyText(place)); way !== undefined; way = ways.get(stateKeyText(way.from)))
      lines.unshift(describeStep(space, way.from, way.step));
    return lines;
  }
}

/** How a place was come to first. */
interface FirstPath {
  readonly from: StateKey;
  readonly step: ExplorerStep;
}

class Oracle {
  /** The program without snapshots. */
  readonly #plain: StateSpace;
  /** How it can end from each state that it can be in. */
  readonly #ends = new Map<string, ReadonlySet<string>>();
  /** The same from what was restored. */
  readonly #endsAgain = new Map<string, ReadonlySet<string>>();
  readonly #ended: ReadonlySet<string>;
  /** Snapshots that were looked at. */
  readonly #known = new Set<string>();

  constructor(plain: StateSpace, begin: ClusterState) {
    this.#plain = plain;
    this.#ended = this.#endsFrom(plain.keyOf(begin), this.#ends);
  }

  get snapshots(): number {
    return this.#known.size;
  }

  /** What is wrong with the snapshots that are whole there; where nothing can happen any more, all must be but those that were given up. */
  check(space: StateSpace, place: StateKey, isOver: boolean): string | undefined {
    for (let phase = 1; phase <= space.world.phases; phase++) {
      const members = this.#membersOf(space, place, phase);
      const lacking = members.find((worker) => !isWhole(space.workerAt(place, worker), phase));
      if (lacking === undefined) {
        const wrong = this.#lookAt(space, place, phase, members);
        if (wrong !== undefined) return `snapshot ${phase}: ${wrong}`;
      } else if (isOver && !isGivenUp(space, place, phase, lacking))
        return `snapshot ${phase} has no end: worker ${lacking} lacks something`;
    }
    if (isOver && !this.#ended.has(canonicalText(space.stateAt(place))))
      return `a program without snapshots would not have ended like this:\n${canonicalText(space.stateAt(place))}`;
    return undefined;
  }

  /** Who is in a snapshot: the main thread's worker, and those that it had at its cut. */
  #membersOf(space: StateSpace, place: StateKey, phase: number): readonly number[] {
    const cut = space.workerAt(place, 0)?.witness.cuts[phase];
    return cut === undefined ? [0] : [0, ...(space.stored(cut) as CutState).state.workerLinks];
  }

  #lookAt(space: StateSpace, place: StateKey, phase: number, members: readonly number[]): string | undefined {
    const parts: Record<number, Part> = {};
    const cuts: Record<number, CutState> = {};
    let key = '';
    for (const member of members) {
      const { writing, witness } = space.workerAt(place, member) as ModelWorker;
      const [part, cut] = [writing.whole[phase] as number, witness.cuts[phase] as number];
      parts[member] = space.stored(part) as Part;
      cuts[member] = space.stored(cut) as CutState;
      key += `${member} ${part} ${cut} `;
    }
    if (this.#known.has(key)) return undefined;
    this.#known.add(key);
    return this.#compare(parts, cuts);
  }

  #compare(parts: Readonly<Record<number, Part>>, cuts: Readonly<Record<number, CutState>>): string | undefined {
    let restored: ClusterState;
    let text: string;
    try {
      restored = restore(parts);
      text = canonicalText(restored);
    } catch (error) {
      return `it cannot be restored: ${String(error)}`;
    }
    const moment = joinCuts(cuts);
    if (typeof moment === 'string') return moment;
    const expected = canonicalText(moment);
    if (text !== expected) return `what is restored is not what was there:\n${differenceOf(text, expected)}`;
    const surplus = Object.entries(parts).flatMap(([worker, part]) =>
      surplusOf(part, moment.states[Number(worker)] as ModelState),
    );
    if (surplus.length > 0) return `there was no ${surplus.join(', no ')} yet`;
    const ends = this.#ends.get(expected);
    if (ends === undefined) return `without snapshots there is no moment like this:\n${expected}`;
    const again = this.#endsFrom(this.#plain.keyOf(restored), this.#endsAgain);
    if (again.symmetricDifference(ends).size > 0) return `what was restored ends otherwise:\n${[...again].join('\n')}`;
    return undefined;
  }

  /** All ways to end. States that are the same have the same. */
  #endsFrom(place: StateKey, known: Map<string, ReadonlySet<string>>): ReadonlySet<string> {
    const text = canonicalText(this.#plain.stateAt(place));
    const before = known.get(text);
    if (before !== undefined) return before;
    const steps = this.#plain.stepsAt(place);
    const ends = new Set<string>(steps.length === 0 ? [text] : []);
    for (const step of steps) {
      for (const end of this.#endsFrom(this.#plain.after(place, step), known)) ends.add(end);
    }
    known.set(text, ends);
    return ends;
  }
}

/** The program at the cuts of its workers: what was sent before one and not taken before another is between them. */
function joinCuts(cuts: Readonly<Record<number, CutState>>): ClusterState | string {
  const states: Record<number, ModelState> = {};
  const rings: Record<string, readonly Message[]> = {};
  for (const [to, cut] of Object.entries(cuts)) {
    states[Number(to)] = cut.state;
    for (const [from, sender] of Object.entries(cuts)) {
      const sent = sender.sent[Number(to)] ?? [];
      const taken = cut.taken[Number(from)] ?? 0;
      if (taken > sent.length)
        return `worker ${to} had taken ${taken} of worker ${from}, which had sent ${sent.length}`;
      rings[`${from}>${to}`] = sent.slice(taken);
    }
  }
  return { states, rings };
}

/** What stands in a part and was not there at its cut. */
function surplusOf(part: Part, { actors, objects }: ModelState): string[] {
  return [
    ...Object.keys(part.actors).filter((actor) => actors[actor] === undefined),
    ...Object.keys(part.things)
      .filter((name) => objects[Number.parseInt(name, 10)] === undefined)
      .map((name) => `object ${name}`),
  ];
}

/** By a worker, or by the main thread: who lacks something has ended. */
function isGivenUp(space: StateSpace, place: StateKey, phase: number, lacking: number): boolean {
  if (space.workerAt(place, lacking) === undefined) return true;
  for (let worker = 0; worker < space.world.workers; worker++)
    if (space.workerAt(place, worker)?.writing.givenUp.includes(phase) === true) return true;
  return false;
}

function isWhole(worker: ModelWorker | undefined, phase: number): boolean {
  return worker?.writing.whole[phase] !== undefined;
}

/** Where two texts first differ, with a little of what stands around. */
function differenceOf(one: string, other: string): string {
  let at = 0;
  while (one[at] === other[at]) at++;
  const around = (text: string): string => `  … ${text.slice(Math.max(0, at - 60), at + 100).replaceAll('\\"', '')} …`;
  return `${around(one)}\n${around(other)}`;
}
