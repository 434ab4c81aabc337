// Linear order of all tasks of all workers, a function of the recording alone. Phases come one after the other. A step
// comes after the previous step of its thread, and after the steps that sent the messages that its worker had taken
// before. Between other steps the time decides, then the worker. So when all threads run to one position of the order,
// every message that they take on the way has been sent. Runtime steps are sorted as well, but are not in the result.
import { threadKey, type ThreadTaskLog } from './thread-task-log.ts';

interface ThreadHead {
  readonly log: ThreadTaskLog;
  step: number;
  /** Number of tasks before the current step, and number of runtime steps before it. */
  tasks: number;
  runtimeSteps: number;
  phaseIndex: number;
  phase: number;
  time: number;
  /** By thread key: index of the next total of messages received from that thread. */
  readonly cursors: Map<number, number>;
  /** Threads that must have finished a number of steps before the current step. */
  readonly waits: [thread: ThreadHead, steps: number][];
}

/** The rows of all tasks, in the linear order. */
export function linearOrder(threads: readonly ThreadTaskLog[], timeOf: (row: number) => number): Uint32Array {
  const order = new Uint32Array(threads.reduce((sum, { count }) => sum + count, 0));
  const start = { step: 0, tasks: 0, runtimeSteps: 0, phaseIndex: 0, phase: 0, time: 0 };
  const heads = threads
    .toSorted((a, b) => a.worker - b.worker || a.epoch - b.epoch)
    .map((log): ThreadHead => ({ log, ...start, cursors: new Map(), waits: [] }));
  const byKey = new Map(heads.map((head) => [threadKey(head.log.worker, head.log.epoch), head]));
  heads.forEach((head, i) => {
    enterStep(head, byKey, timeOf);
    // A thread of a later epoch starts after the end of the thread of the epoch before.
    const before = heads[i - 1];
    if (before?.log.worker === head.log.worker) head.waits.push([before, before.log.steps]);
  });
  let unfinished = heads.filter(({ log }) => log.steps > 0);
  for (let filled = 0; unfinished.length > 0;) {
    const next = nextHead(unfinished);
    if (!isAtRuntimeStep(next)) order[filled++] = next.log.firstRow + next.tasks++;
    next.step++;
    if (next.step === next.log.steps) unfinished = unfinished.filter((each) => each !== next);
    else enterStep(next, byKey, timeOf);
  }
  return order;
}

/** The first thread that waits for no other. In damaged logs all may wait for each other: then the first thread. */
function nextHead(heads: readonly ThreadHead[]): ThreadHead {
  let found: ThreadHead | undefined;
  for (const head of heads) if (isReady(head) && (found === undefined || precedes(head, found))) found = head;
  return found ?? heads.reduce((first, second) => (precedes(second, first) ? second : first));
}

function precedes(first: ThreadHead, second: ThreadHead): boolean {
  return first.phase !== second.phase ? first.phase < second.phase : first.time < second.time;
}

function isReady({ waits }: ThreadHead): boolean {
  while (waits.length > 0) {
    const [thread, steps] = waits.at(-1) as [ThreadHead, number];
    if (thread.step < steps) return false;
    waits.pop();
  }
  return true;
}

function isAtRuntimeStep({ log, step, runtimeSteps }: ThreadHead): boolean {
  return runtimeSteps < log.runtimeSteps.length && log.runtimeSteps.at(runtimeSteps) === step;
}

/** Updates phase, time and waits of a thread for its current step. */
function enterStep(head: ThreadHead, byKey: ReadonlyMap<number, ThreadHead>, timeOf: (row: number) => number): void {
  const { log, step, cursors } = head;
  while (head.runtimeSteps < log.runtimeSteps.length && log.runtimeSteps.at(head.runtimeSteps) < step)
    head.runtimeSteps++;
  const { phases, phaseSteps } = log;
  while (head.phaseIndex + 1 < phases.length && phaseSteps.at(head.phaseIndex + 1) <= step) head.phaseIndex++;
  head.phase = phases.at(head.phaseIndex);
  const row = log.firstRow + head.tasks;
  if (log.count > 0) head.time = timeOf(Math.min(row, log.firstRow + log.count - 1));
  const ownKey = threadKey(log.worker, log.epoch);
  head.waits.length = 0;
  for (const [key, { steps, totals }] of log.received) {
    let cursor = cursors.get(key) ?? 0;
    if (cursor === steps.length || steps.at(cursor) > step) continue;
    while (cursor < steps.length && steps.at(cursor) <= step) cursor++;
    cursors.set(key, cursor);
    const sender = byKey.get(key);
    if (sender === undefined || sender === head) continue;
    const sent = sender.log.sent.get(ownKey);
    const at = sent?.totals.lowerBound(totals.at(cursor - 1)) ?? 0;
    // If the sender's log was cut off before this total, the message was sent in the last logged step at the latest.
    const needed = sent === undefined || at === sent.totals.length ? sender.log.steps : sent.steps.at(at) + 1;
    if (sender.step < needed) head.waits.push([sender, needed]);
  }
}
