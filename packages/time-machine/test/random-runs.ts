// Random runs that no program has made, and the task logs that their threads would have written.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { RunIndex, type TaskKind } from '@turntable/time-machine';
import { NO_SENDER, TaskLogWriter, type LoggedTask, type TextEventKind } from '@turntable/time-machine/task-log';

export type RandomStep =
  /** A task on a thread, which sends a number of messages to other threads, beginning with the next one. */
  | {
      readonly action: 'run';
      readonly thread: number;
      readonly sends: number;
      /** Default: a call of the thread's only actor. */
      readonly kind?: TaskKind;
      readonly actor?: number;
      readonly prints?: boolean;
      readonly fails?: boolean;
      /** For a request or response, its number on the thread. */
      readonly events?: readonly { readonly kind: TextEventKind; readonly text: string; readonly request?: number }[];
    }
  /** The runtime of a thread sends a message by itself. */
  | { readonly action: 'between'; readonly thread: number }
  /** A thread takes all messages that have arrived from another one. */
  | { readonly action: 'take'; readonly thread: number; readonly from: number }
  | { readonly action: 'cut'; readonly thread: number }
  /** A thread reads the clock. */
  | { readonly action: 'read'; readonly thread: number };

export const THREAD_COUNT = 3;
const thread = fc.nat(THREAD_COUNT - 1);
const ran = fc.record({
  action: fc.constant('run' as const),
  thread,
  sends: fc.nat(3),
  kind: fc.constantFrom<TaskKind>('call', 'call', 'call', 'fulfil', 'reject', 'construct', 'entry', 'jobs'),
  actor: fc.nat(2),
  prints: fc.boolean(),
  fails: fc.boolean(),
  events: fc.array(
    fc.record({
      kind: fc.constantFrom<TextEventKind>('caught', 'rejection', 'device', 'request', 'response'),
      text: fc.constantFrom('GET /a', 'GET /b', 'POST /a'),
    }),
    { maxLength: 3 },
  ),
});
export const randomSteps: fc.Arbitrary<RandomStep[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: ran },
    { weight: 1, arbitrary: fc.record({ action: fc.constant('between' as const), thread }) },
    { weight: 4, arbitrary: fc.record({ action: fc.constant('take' as const), thread, from: thread }) },
    { weight: 1, arbitrary: fc.record({ action: fc.constant('cut' as const), thread }) },
    { weight: 2, arbitrary: fc.record({ action: fc.constant('read' as const), thread }) },
  ),
  { minLength: 40, maxLength: 200, size: 'max' },
);

export interface ExpectedTask {
  readonly worker: number;
  readonly number: number;
  readonly phase: number;
  /** For each thread, how many of its tasks this one could know of when it began. */
  readonly known: readonly number[];
  /** The sending task. */
  readonly sender: readonly [worker: number, number: number] | undefined;
}

/** A thread of a run whose actions happen one after the other, with its task log. */
class RandomThread {
  readonly worker: number;
  readonly notes: TaskLogWriter;
  readonly sent = [0, 0, 0];
  readonly receivedTotals = [0, 0, 0];
  readonly writtenTotals = [0, 0, 0];
  /** For each message to another thread: the sender's knowledge, the phase, and the sending task, if there is one. */
  readonly messages: { known: number[]; phase: number; by: readonly [number, number] | undefined }[][] = [[], [], []];
  known = [0, 0, 0];
  phase = 0;
  time = 1;
  count = 0;
  last: readonly [from: number, message: number] | undefined;

  constructor(worker: number, directory: string) {
    this.worker = worker;
    this.notes = new TaskLogWriter(join(directory, `${worker}.0.tsv`), { worker, epoch: 0, phase: 0 });
  }

  send(by: readonly [number, number] | undefined, to: number): void {
    this.sent[to] = (this.sent[to] ?? 0) + 1;
    this.messages[to]?.push({ known: [...this.known], phase: this.phase, by });
    this.notes.writeSent(to, 0, this.sent[to]);
  }

  writeReceived(): void {
    this.receivedTotals.forEach((total, from) => {
      if (total !== this.writtenTotals[from]) this.notes.writeReceived(from, 0, total);
      this.writtenTotals[from] = total;
    });
  }

  writeTask(sender: Partial<LoggedTask>): void {
    this.notes.writeTask(
      {
        kind: 'call',
        actor: '',
        method: 'm',
        methodLocation: '',
        turn: this.count,
        traceEvent: this.count + 1,
        time: this.time,
        sender: NO_SENDER,
        senderEpoch: 0,
        causeNumber: 0,
        ...sender,
      },
      0,
      0,
    );
  }
}

/** The last message that a thread has taken stays undelivered if no task handles it. */
export interface ExpectedUndelivered {
  readonly worker: number;
  readonly sender: ExpectedTask['sender'];
}

/** Writes the task logs into a directory; returns the tasks in order. @param undelivered gets the other messages */
export function writeTaskLogs(
  all: readonly RandomStep[],
  directory: string,
  undelivered: ExpectedUndelivered[] = [],
): ExpectedTask[] {
  const threads = Array.from({ length: THREAD_COUNT }, (_, i) => new RandomThread(i, directory));
  const ran: ExpectedTask[] = [];
  let now = 1;
  for (const step of all) {
    const current = threads[step.thread] as RandomThread;
    const { worker } = current;
    if (step.action === 'run') {
      current.writeReceived();
      const number = ++current.count;
      current.known[worker] = number;
      const { kind = 'call', actor = 0 } = step;
      const isEntry = kind === 'entry';
      const last = isEntry ? undefined : current.last;
      if (!isEntry) current.last = undefined;
      const sender = last && threads[last[0]]?.messages[worker]?.[last[1] - 1]?.by;
      ran.push({ worker, number, phase: current.phase, known: [...current.known], sender });
      for (let i = 0; i < step.sends; i++)
        current.send([worker, number], (worker + 1 + (i % (THREAD_COUNT - 1))) % THREAD_COUNT);
      if (step.prints === true) current.notes.writeOutput('stdout', 9, () => `get /${actor}`);
      if (step.fails === true) current.notes.writeTextEvent('uncaught', `Error: ${number} of ${worker}`);
      for (const { kind, text, request } of step.events ?? []) current.notes.writeTextEvent(kind, text, request);
      current.writeTask({
        kind,
        actor: `actor ${actor} of ${worker}`,
        ...(isEntry
          ? { method: 'timer', causeNumber: 7 }
          : last === undefined
            ? {}
            : { sender: last[0], causeNumber: last[1] }),
      });
    } else if (step.action === 'between') {
      current.writeReceived();
      current.send(undefined, (worker + 1) % THREAD_COUNT);
      current.notes.writeRuntimeStep();
    } else if (step.action === 'take') {
      const from = threads[step.from] as RandomThread;
      if (from === current) continue;
      const messages = from.messages[worker] ?? [];
      const newMessages = messages.slice(current.receivedTotals[step.from]);
      if (newMessages.length === 0 || newMessages.some(({ phase }) => phase > current.phase)) continue;
      for (const { known } of newMessages)
        current.known = current.known.map((most, i) => Math.max(most, known[i] ?? 0));
      current.receivedTotals[step.from] = messages.length;
      current.last = [step.from, messages.length];
    } else if (step.action === 'cut') {
      current.phase++;
      current.notes.writeEvent('cut', current.phase);
    } else current.time = ++now;
  }
  for (const { worker, notes, count, last } of threads) {
    if (last !== undefined) {
      const [from, number] = last;
      notes.writeUndelivered({
        actor: `actor 0 of ${worker}`,
        subject: 'm',
        sender: from,
        senderEpoch: 0,
        causeNumber: number,
      });
      undelivered.push({ worker, sender: threads[from]?.messages[worker]?.[number - 1]?.by });
    }
    notes.finish('ended', count, count);
  }
  return ran;
}

/** The expected content of the run index of such a run. */
export function buildRunIndex(all: readonly RandomStep[]): RunIndex {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
  try {
    writeTaskLogs(all, directory);
    return RunIndex.read(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
