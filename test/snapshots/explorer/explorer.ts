// Explores all interleavings of a scenario and checks each snapshot as soon as it is complete. A snapshot is compared
// with three things that are obtained without the protocol: copies of all workers at their cuts, the states that the
// program can reach without snapshots, and its possible end states from there.
import { canonicalText } from './canonical.ts';
import type { Fault } from './faults.ts';
import type { CutState, Message, Part, ModelState, ModelWorker } from './model.ts';
import { restore, type ClusterState } from './restore.ts';
import type { Scenario } from './scenarios.ts';
import { describeStep, stateKeyText, StateSpace, type StateKey, type ExplorerStep } from './space.ts';

export interface ExploreResult {
  /** Number of distinct states of the whole cluster. */
  readonly states: number;
  /** Number of distinct snapshots that were restored. */
  readonly snapshots: number;
  /** Description of the first problem, after the steps that lead to it. */
  readonly problem: string | undefined;
}

/** `wide` finds the problem with the shortest path. `deep` finds some problem sooner. */
export function explore(scenario: Scenario, fault?: Fault, order: 'wide' | 'deep' = 'wide'): ExploreResult {
  const { workers, phases, loss, methods, initialState: initial } = scenario;
  const space = new StateSpace({ workers, phases, loss, methods, fault });
  const oracle = new Oracle(new StateSpace({ workers, phases: 0, loss, methods, fault: undefined }), initial);
  const first = space.keyOf(initial);
  const paths = new Map<string, FirstPath | undefined>([[stateKeyText(first), undefined]]);
  const queue = [first];
  let visited = 0;

  for (;;) {
    const node = order === 'deep' ? queue.pop() : queue[visited++];
    if (node === undefined) return { states: paths.size, snapshots: oracle.snapshots, problem: undefined };
    const problem = expand(node);
    if (problem !== undefined) return { states: paths.size, snapshots: oracle.snapshots, problem };
  }

  /** Checks a state and queues its successors. Returns the problem, if there is one. */
  function expand(node: StateKey): string | undefined {
    const steps = space.stepsAt(node);
    const unsound = oracle.check(space, node, steps.length === 0);
    if (unsound !== undefined) return [scenario.name, ...pathTo(node), unsound].join('\n');
    for (const step of steps) {
      let next: StateKey;
      try {
        next = space.after(node, step);
      } catch (error) {
        return [scenario.name, ...pathTo(node), describeStep(space, node, step), String(error)].join('\n');
      }
      const key = stateKeyText(next);
      if (paths.has(key)) continue;
      paths.set(key, { from: node, step });
      queue.push(next);
    }
    return undefined;
  }

  function pathTo(node: StateKey): string[] {
    const lines: string[] = [];
    for (let path = paths.get(stateKeyText(node)); path !== undefined; path = paths.get(stateKeyText(path.from)))
      lines.unshift(describeStep(space, path.from, path.step));
    return lines;
  }
}

/** The step by which a state was first reached. */
interface FirstPath {
  readonly from: StateKey;
  readonly step: ExplorerStep;
}

class Oracle {
  /** Program without snapshots. */
  readonly #plain: StateSpace;
  /** Possible end states of each state that the program can reach. */
  readonly #ends = new Map<string, ReadonlySet<string>>();
  /** Possible end states of each restored state. */
  readonly #endsAfterRestore = new Map<string, ReadonlySet<string>>();
  readonly #ended: ReadonlySet<string>;
  /** Snapshots that have been checked. */
  readonly #checkedSnapshots = new Set<string>();

  constructor(plain: StateSpace, initial: ClusterState) {
    this.#plain = plain;
    this.#ended = this.#endsFrom(plain.keyOf(initial), this.#ends);
  }

  get snapshots(): number {
    return this.#checkedSnapshots.size;
  }

  /**
   * Checks the snapshots that are complete in a state. In a final state, all that were not given up must be complete.
   */
  check(space: StateSpace, node: StateKey, isOver: boolean): string | undefined {
    for (let phase = 1; phase <= space.world.phases; phase++) {
      const members = this.#membersOf(space, node, phase);
      const lacking = members.find((worker) => !isWhole(space.workerAt(node, worker), phase));
      if (lacking === undefined) {
        const problem = this.#checkSnapshot(space, node, phase, members);
        if (problem !== undefined) return `snapshot ${phase}: ${problem}`;
      } else if (isOver && !isGivenUp(space, node, phase, lacking))
        return `snapshot ${phase} was never completed: the part of worker ${lacking} is incomplete`;
    }
    if (isOver && !this.#ended.has(canonicalText(space.stateAt(node))))
      return `the program cannot end like this without snapshots:\n${canonicalText(space.stateAt(node))}`;
    return undefined;
  }

  /** Workers of a snapshot: the main thread's, and those linked to it at its cut. */
  #membersOf(space: StateSpace, node: StateKey, phase: number): readonly number[] {
    const cut = space.workerAt(node, 0)?.witness.cuts[phase];
    return cut === undefined ? [0] : [0, ...(space.stored(cut) as CutState).state.workerLinks];
  }

  #checkSnapshot(space: StateSpace, node: StateKey, phase: number, members: readonly number[]): string | undefined {
    const parts: Record<number, Part> = {};
    const cuts: Record<number, CutState> = {};
    let key = '';
    for (const member of members) {
      const { writing, witness } = space.workerAt(node, member) as ModelWorker;
      const [part, cut] = [writing.whole[phase] as number, witness.cuts[phase] as number];
      parts[member] = space.stored(part) as Part;
      cuts[member] = space.stored(cut) as CutState;
      key += `${member} ${part} ${cut} `;
    }
    if (this.#checkedSnapshots.has(key)) return undefined;
    this.#checkedSnapshots.add(key);
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
    const expectedState = joinCuts(cuts);
    if (typeof expectedState === 'string') return expectedState;
    const expected = canonicalText(expectedState);
    if (text !== expected)
      return `the restored state differs from the state at the cut:\n${differenceOf(text, expected)}`;
    const surplus = Object.entries(parts).flatMap(([worker, part]) =>
      surplusOf(part, expectedState.states[Number(worker)] as ModelState),
    );
    if (surplus.length > 0) return `written although created after the cut: ${surplus.join(', ')}`;
    const ends = this.#ends.get(expected);
    if (ends === undefined) return `the program never reaches this state without snapshots:\n${expected}`;
    const actual = this.#endsFrom(this.#plain.keyOf(restored), this.#endsAfterRestore);
    if (actual.symmetricDifference(ends).size > 0)
      return `the restored state has other end states:\n${[...actual].join('\n')}`;
    return undefined;
  }

  /** All end states that can be reached from a state. Equal states share one entry. */
  #endsFrom(node: StateKey, known: Map<string, ReadonlySet<string>>): ReadonlySet<string> {
    const text = canonicalText(this.#plain.stateAt(node));
    const before = known.get(text);
    if (before !== undefined) return before;
    const steps = this.#plain.stepsAt(node);
    const ends = new Set<string>(steps.length === 0 ? [text] : []);
    for (const step of steps) {
      for (const end of this.#endsFrom(this.#plain.after(node, step), known)) ends.add(end);
    }
    known.set(text, ends);
    return ends;
  }
}

/** Cluster state at the cuts. Messages sent before one cut and not taken before another are on the rings. */
function joinCuts(cuts: Readonly<Record<number, CutState>>): ClusterState | string {
  const states: Record<number, ModelState> = {};
  const rings: Record<string, readonly Message[]> = {};
  for (const [to, cut] of Object.entries(cuts)) {
    states[Number(to)] = cut.state;
    for (const [from, sender] of Object.entries(cuts)) {
      const sent = sender.sent[Number(to)] ?? [];
      const taken = cut.taken[Number(from)] ?? 0;
      if (taken > sent.length)
        return `worker ${to} had taken ${taken} messages of worker ${from}, which had sent ${sent.length}`;
      rings[`${from}>${to}`] = sent.slice(taken);
    }
  }
  return { states, rings };
}

/** Actors and objects of a part that did not exist at its cut. */
function surplusOf(part: Part, { actors, objects }: ModelState): string[] {
  return [
    ...Object.keys(part.actors).filter((actor) => actors[actor] === undefined),
    ...Object.keys(part.objects)
      .filter((name) => objects[Number.parseInt(name, 10)] === undefined)
      .map((name) => `object ${name}`),
  ];
}

/** A snapshot is given up when a worker says so or when the worker whose part is missing has ended. */
function isGivenUp(space: StateSpace, node: StateKey, phase: number, lacking: number): boolean {
  if (space.workerAt(node, lacking) === undefined) return true;
  for (let worker = 0; worker < space.world.workers; worker++)
    if (space.workerAt(node, worker)?.writing.givenUp.includes(phase) === true) return true;
  return false;
}

function isWhole(worker: ModelWorker | undefined, phase: number): boolean {
  return worker?.writing.whole[phase] !== undefined;
}

/** First difference of two texts, with some context. */
function differenceOf(a: string, b: string): string {
  let at = 0;
  while (a[at] === b[at]) at++;
  const around = (text: string): string => `  … ${text.slice(Math.max(0, at - 60), at + 100).replaceAll('\\"', '')} …`;
  return `${around(a)}\n${around(b)}`;
}
