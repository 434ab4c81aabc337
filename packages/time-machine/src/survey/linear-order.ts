// One order of all stretches of all workers, which is a function of the recording alone: phase by phase; a step of a worker comes behind its previous one, and behind those that have
// sent what its worker had taken before it; else by time, and of one time by worker. So whoever has all threads go up to some place in it, and no further, finds that every
// message is there that is taken on the way. The steps that are no stretches keep their places while it is made, and have none in it.
import { threadKey, type ThreadNotes } from './thread-notes.ts';

interface Head {
  readonly notes: ThreadNotes;
  step: number;
  /** Rows that were behind it already. */
  stretches: number;
  between: number;
  /** Its place among its thread's phases. */
  phaseAt: number;
  phase: number;
  time: number;
  /** How far the traffic with each other thread was looked at. */
  readonly cursors: Map<number, number>;
  /** What it waits for: threads, and how many of their steps. */
  readonly waits: [thread: Head, steps: number][];
}

/** Rows of the columns in that order. */
export function linearOrder(threads: readonly ThreadNotes[], timeOf: (row: number) => number): Uint32Array {
  const order = new Uint32Array(threads.reduce((sum, { count }) => sum + count, 0));
  const heads = threads
    .toSorted((a, b) => a.worker - b.worker || a.life - b.life)
    .map((notes): Head => ({
      notes,
      step: 0,
      stretches: 0,
      between: 0,
      phaseAt: 0,
      phase: 0,
      time: 0,
      cursors: new Map(),
      waits: [],
    }));
  const byKey = new Map(heads.map((head) => [threadKey(head.notes.worker, head.notes.life), head]));
  heads.forEach((head, i) => {
    enter(head, byKey, timeOf);
    // Who takes the place of another one begins when that is over.
    const before = heads[i - 1];
    if (before?.notes.worker === head.notes.worker) head.waits.push([before, before.notes.steps]);
  });
  let living = heads.filter(({ notes }) => notes.steps > 0);
  for (let filled = 0; living.length > 0;) {
    const next = first(living);
    if (!isBetween(next)) order[filled++] = next.notes.row + next.stretches++;
    next.step++;
    if (next.step === next.notes.steps) living = living.filter((each) => each !== next);
    else enter(next, byKey, timeOf);
  }
  return order;
}

/** Of those that wait for nothing. Notes that were damaged may wait for each other: then of all. */
function first(heads: readonly Head[]): Head {
  let found: Head | undefined;
  for (const head of heads) if (isReady(head) && (found === undefined || isBefore(head, found))) found = head;
  return found ?? heads.reduce((one, other) => (isBefore(other, one) ? other : one));
}

function isBefore(one: Head, other: Head): boolean {
  return one.phase !== other.phase ? one.phase < other.phase : one.time < other.time;
}

function isReady({ waits }: Head): boolean {
  while (waits.length > 0) {
    const [thread, steps] = waits.at(-1) as [Head, number];
    if (thread.step < steps) return false;
    waits.pop();
  }
  return true;
}

function isBetween({ notes, step, between }: Head): boolean {
  return between < notes.between.length && notes.between.at(between) === step;
}

/** What its next step is, and what that waits for. */
function enter(head: Head, byKey: ReadonlyMap<number, Head>, timeOf: (row: number) => number): void {
  const { notes, step, cursors } = head;
  while (head.between < notes.between.length && notes.between.at(head.between) < step) head.between++;
  const { phases, phaseSteps } = notes;
  while (head.phaseAt + 1 < phases.length && phaseSteps.at(head.phaseAt + 1) <= step) head.phaseAt++;
  head.phase = phases.at(head.phaseAt);
  const row = notes.row + head.stretches;
  if (notes.count > 0) head.time = timeOf(Math.min(row, notes.row + notes.count - 1));
  const own = threadKey(notes.worker, notes.life);
  head.waits.length = 0;
  for (const [key, { steps, totals }] of notes.took) {
    let cursor = cursors.get(key) ?? 0;
    if (cursor === steps.length || steps.at(cursor) > step) continue;
    while (cursor < steps.length && steps.at(cursor) <= step) cursor++;
    cursors.set(key, cursor);
    const from = byKey.get(key);
    if (from === undefined || from === head) continue;
    const sent = from.notes.sent.get(own);
    const at = sent?.totals.firstFrom(totals.at(cursor - 1)) ?? 0;
    // Whose notes go no further has sent it with the last of them.
    const needed = sent === undefined || at === sent.totals.length ? from.notes.steps : sent.steps.at(at) + 1;
    if (from.step < needed) head.waits.push([from, needed]);
  }
}
