// Runs that never were, in which threads do as chance has it, and the notes that they would have left.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { Survey, type StretchKind } from '@turntable/time-machine';
import { NOBODY, NotesWriter, type NotedStretch, type TextMark } from '@turntable/time-machine/notes';

export type Step =
  /** Something runs on a thread and sends so many messages to others, from the one behind it on. */
  | {
      readonly what: 'run';
      readonly thread: number;
      readonly sends: number;
      /** A call of the thread's only actor, unless it is said. */
      readonly kind?: StretchKind;
      readonly actor?: number;
      readonly prints?: boolean;
      readonly fails?: boolean;
      /** Of a request its number on the thread. */
      readonly happens?: readonly { readonly kind: TextMark; readonly text: string; readonly request?: number }[];
    }
  /** Its runtime sends one by itself. */
  | { readonly what: 'between'; readonly thread: number }
  /** A thread takes all that has come from another. */
  | { readonly what: 'take'; readonly thread: number; readonly from: number }
  | { readonly what: 'cut'; readonly thread: number }
  /** A thread reads the clock. */
  | { readonly what: 'read'; readonly thread: number };

export const THREADS = 3;
const thread = fc.nat(THREADS - 1);
const ran = fc.record({
  what: fc.constant('run' as const),
  thread,
  sends: fc.nat(3),
  kind: fc.constantFrom<StretchKind>('call', 'call', 'call', 'fulfil', 'reject', 'construct', 'entry', 'jobs'),
  actor: fc.nat(2),
  prints: fc.boolean(),
  fails: fc.boolean(),
  happens: fc.array(
    fc.record({
      kind: fc.constantFrom<TextMark>('exception', 'rejection', 'device', 'request', 'response'),
      text: fc.constantFrom('GET /a', 'GET /b', 'POST /a'),
    }),
    { maxLength: 3 },
  ),
});
export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: ran },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('between' as const), thread }) },
    { weight: 4, arbitrary: fc.record({ what: fc.constant('take' as const), thread, from: thread }) },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('cut' as const), thread }) },
    { weight: 2, arbitrary: fc.record({ what: fc.constant('read' as const), thread }) },
  ),
  { minLength: 40, maxLength: 200, size: 'max' },
);

export interface Ran {
  readonly worker: number;
  readonly number: number;
  readonly phase: number;
  /** What had run, of each thread, when this began, as far as it could know. */
  readonly known: readonly number[];
  /** By which it was sent. */
  readonly sender: readonly [worker: number, number: number] | undefined;
}

/** A thread of a run, as it is when all happens one after the other; and what it notes. */
class Thread {
  readonly worker: number;
  readonly notes: NotesWriter;
  readonly sent = [0, 0, 0];
  readonly taken = [0, 0, 0];
  readonly noted = [0, 0, 0];
  /** Of each message to another thread, what its sender knew, the phase, and the stretch, if one has sent it. */
  readonly messages: { known: number[]; phase: number; by: readonly [number, number] | undefined }[][] = [[], [], []];
  known = [0, 0, 0];
  phase = 0;
  time = 1;
  count = 0;
  last: readonly [from: number, message: number] | undefined;

  constructor(worker: number, into: string) {
    this.worker = worker;
    this.notes = new NotesWriter(join(into, `${worker}.0.tsv`), { worker, life: 0, phase: 0 });
  }

  send(by: readonly [number, number] | undefined, to: number): void {
    this.sent[to] = (this.sent[to] ?? 0) + 1;
    this.messages[to]?.push({ known: [...this.known], phase: this.phase, by });
    this.notes.sent(to, 0, this.sent[to]);
  }

  noteTaken(): void {
    this.taken.forEach((total, from) => {
      if (total !== this.noted[from]) this.notes.took(from, 0, total);
      this.noted[from] = total;
    });
  }

  stretch(sender: Partial<NotedStretch>): void {
    this.notes.stretch(
      {
        kind: 'call',
        actor: '',
        method: 'm',
        place: '',
        turn: this.count,
        event: this.count + 1,
        time: this.time,
        sender: NOBODY,
        senderLife: 0,
        number: 0,
        ...sender,
      },
      0,
      0,
    );
  }
}

/** The message that a thread has taken last is left in the end, if nothing has come of it. */
export interface Remaining {
  readonly worker: number;
  readonly sender: Ran['sender'];
}

/** Notes it into a directory; what has run, in the order in which it did. @param left gets what has not */
export function run(all: readonly Step[], into: string, left: Remaining[] = []): Ran[] {
  const threads = Array.from({ length: THREADS }, (_, i) => new Thread(i, into));
  const ran: Ran[] = [];
  let now = 1;
  for (const step of all) {
    const it = threads[step.thread] as Thread;
    const { worker } = it;
    if (step.what === 'run') {
      it.noteTaken();
      const number = ++it.count;
      it.known[worker] = number;
      const { kind = 'call', actor = 0 } = step;
      const isEntry = kind === 'entry';
      const last = isEntry ? undefined : it.last;
      if (!isEntry) it.last = undefined;
      const sender = last && threads[last[0]]?.messages[worker]?.[last[1] - 1]?.by;
      ran.push({ worker, number, phase: it.phase, known: [...it.known], sender });
      for (let i = 0; i < step.sends; i++) it.send([worker, number], (worker + 1 + (i % (THREADS - 1))) % THREADS);
      if (step.prints === true) it.notes.printed('stdout', 9, () => `get /${actor}`);
      if (step.fails === true) it.notes.error(`Error: ${number} of ${worker}`);
      for (const { kind, text, request } of step.happens ?? []) it.notes.text(kind, text, request);
      it.stretch({
        kind,
        actor: `actor ${actor} of ${worker}`,
        ...(isEntry ? { method: 'timer', number: 7 } : last === undefined ? {} : { sender: last[0], number: last[1] }),
      });
    } else if (step.what === 'between') {
      it.noteTaken();
      it.send(undefined, (worker + 1) % THREADS);
      it.notes.between();
    } else if (step.what === 'take') {
      const from = threads[step.from] as Thread;
      if (from === it) continue;
      const messages = from.messages[worker] ?? [];
      const fresh = messages.slice(it.taken[step.from]);
      if (fresh.length === 0 || fresh.some(({ phase }) => phase > it.phase)) continue;
      for (const { known } of fresh) it.known = it.known.map((most, i) => Math.max(most, known[i] ?? 0));
      it.taken[step.from] = messages.length;
      it.last = [step.from, messages.length];
    } else if (step.what === 'cut') {
      it.phase++;
      it.notes.mark('cut', it.phase);
    } else it.time = ++now;
  }
  for (const { worker, notes, count, last } of threads) {
    if (last !== undefined) {
      const [from, number] = last;
      notes.left({ actor: `actor 0 of ${worker}`, what: 'm', sender: from, senderLife: 0, number });
      left.push({ worker, sender: threads[from]?.messages[worker]?.[number - 1]?.by });
    }
    notes.end('ended', count, count);
  }
  return ran;
}

/** What is known of such a run. */
export function surveyOf(all: readonly Step[]): Survey {
  const into = mkdtempSync(join(tmpdir(), 'turntable-'));
  try {
    run(all, into);
    return Survey.read(into);
  } finally {
    rmSync(into, { recursive: true, force: true });
  }
}
