// The notes of threads, read and put into one order: of runs that never were, in which threads do as chance has it, and of files that are cut off anywhere.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { Survey, SurveyCache } from '@turntable/replay';
import { ALL, NOBODY, NotesWriter, type NotedStretch } from '@turntable/replay/notes';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
let count = 0;

type Step =
  /** Something runs on a thread and sends so many messages to others, from the one behind it on. */
  | { readonly what: 'run'; readonly thread: number; readonly sends: number }
  /** Its runtime sends one by itself. */
  | { readonly what: 'between'; readonly thread: number }
  /** A thread takes all that has come from another. */
  | { readonly what: 'take'; readonly thread: number; readonly from: number }
  | { readonly what: 'cut'; readonly thread: number }
  /** A thread reads the clock. */
  | { readonly what: 'read'; readonly thread: number };

const THREADS = 3;
const thread = fc.nat(THREADS - 1);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ what: fc.constant('run' as const), thread, sends: fc.nat(3) }) },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('between' as const), thread }) },
    { weight: 4, arbitrary: fc.record({ what: fc.constant('take' as const), thread, from: thread }) },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('cut' as const), thread }) },
    { weight: 2, arbitrary: fc.record({ what: fc.constant('read' as const), thread }) },
  ),
  { minLength: 40, maxLength: 200, size: 'max' },
);

interface Ran {
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
        actor: `actor of ${this.worker}`,
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

/** Notes it into a directory; what has run, in the order in which it did. */
function run(all: readonly Step[], into: string): Ran[] {
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
      const { last } = it;
      it.last = undefined;
      const sender = last && threads[last[0]]?.messages[worker]?.[last[1] - 1]?.by;
      ran.push({ worker, number, phase: it.phase, known: [...it.known], sender });
      for (let i = 0; i < step.sends; i++) it.send([worker, number], (worker + 1 + (i % (THREADS - 1))) % THREADS);
      it.stretch(last === undefined ? {} : { sender: last[0], number: last[1] });
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
  for (const each of threads) each.notes.end('ended', each.count, each.count);
  return ran;
}

function fresh(): string {
  return mkdtempSync(join(directory, `${count++}-`));
}

test('each stretch has one place, behind its thread’s previous one and all that its thread could know of, phase by phase', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const into = fresh();
      const ran = run(all, into);
      const survey = Survey.read(into);
      expect(survey.count).toBe(ran.length);
      const told = Array.from({ length: survey.count }, (_, i) => survey.stretch(i + 1));
      expect(new Set(told.map(({ worker, number }) => `${worker} ${number}`)).size).toBe(ran.length);
      const of = new Map(ran.map((each) => [`${each.worker} ${each.number}`, each]));
      const behind = [0, 0, 0];
      let phase = 0;
      for (const { worker, number, phase: its, order, sender } of told) {
        const was = of.get(`${worker} ${number}`) as Ran;
        expect(its).toBe(was.phase);
        expect(its).toBeGreaterThanOrEqual(phase);
        phase = its;
        expect(number).toBe((behind[worker] ?? 0) + 1);
        behind[worker] = number;
        was.known.forEach((known, i) => expect(known).toBeLessThanOrEqual(behind[i] ?? 0));
        expect(sender).toBe(was.sender && survey.orderOf(was.sender[0], 0, was.sender[1]));
        expect(sender ?? 0).toBeLessThan(order);
      }
      rmSync(into, { recursive: true });
    }),
    { numRuns: 60 },
  );
});

test('a place is found by turn, by time, by part and by thread', () => {
  const into = fresh();
  const all: Step[] = Array.from({ length: 30 }, (_, i) =>
    i % 3 === 2 ? { what: 'read', thread: i % 2 } : { what: 'run', thread: i % 2, sends: 0 },
  );
  run(all, into);
  const survey = Survey.read(into);
  for (let order = 1; order <= survey.count; order++) {
    const { worker, life, number, turn, time } = survey.stretch(order);
    expect(survey.orderOf(worker, life, number)).toBe(order);
    expect(survey.ofTurn(worker, turn ?? 0)).toBe(order);
    expect(survey.stretch(survey.atTime(time)).time).toBe(time);
  }
  const [one, other] = [survey.ofWorker(0), survey.ofWorker(1)];
  expect([...one, ...other].toSorted((a, b) => a - b)).toEqual(Array.from({ length: survey.count }, (_, i) => i + 1));
  expect([...one]).toEqual([...one].toSorted((a, b) => a - b));
  expect([survey.atPart(0), survey.atPart(1), survey.atPart(0.5)]).toEqual([1, survey.count, survey.count / 2]);
  expect([survey.atTime(0), survey.atTime(1e9), survey.orderOf(2, 0, 1), survey.ofTurn(0, 999)]).toEqual([
    0,
    survey.count,
    undefined,
    undefined,
  ]);
});

test('what waits for a life of a worker waits for all of it, and the next one comes behind it', () => {
  const into = fresh();
  const at = (worker: number, life: number, time: number, before: (notes: NotesWriter) => void = () => {}): void => {
    const notes = new NotesWriter(join(into, `${worker}.${life}.tsv`), { worker, life, phase: 0 });
    before(notes);
    for (let turn = 1; turn <= 2; turn++)
      notes.stretch(
        {
          kind: 'call',
          actor: 'a',
          method: 'm',
          place: '',
          turn,
          event: 1,
          time,
          sender: NOBODY,
          senderLife: 0,
          number: 0,
        },
        0,
        0,
      );
    notes.flush();
  };
  at(0, 0, 1, (notes) => notes.took(1, 0, ALL));
  at(1, 0, 9);
  at(1, 1, 3);
  const survey = Survey.read(into);
  const told = Array.from({ length: 6 }, (_, i) => survey.stretch(i + 1));
  expect(told.map(({ worker, life }) => `${worker}.${life}`)).toEqual(['1.0', '1.0', '0.0', '0.0', '1.1', '1.1']);
});

test('what is kept is the same again, and nothing where any byte of it is another', () => {
  const into = fresh();
  run(
    Array.from({ length: 20 }, (_, i): Step =>
      i % 5 === 4 ? { what: 'cut', thread: 1 } : { what: 'run', thread: i % 3, sends: 1 },
    ),
    into,
  );
  const survey = Survey.read(into);
  const told = (its: Survey): unknown => [
    Array.from({ length: its.count }, (_, i) => its.stretch(i + 1)),
    its.marks(),
    its.threads,
    [...its.ofWorker(1)],
  ];
  const cache = new SurveyCache(join(into, 'cache'));
  expect(cache.get('key')).toBeUndefined();
  cache.put('key', survey, { verdict: 'same' });
  const kept = cache.get('key');
  expect(kept?.about).toEqual({ verdict: 'same' });
  expect(kept && told(kept.survey)).toEqual(told(survey));
  const file = join(into, 'cache', 'key.survey');
  const whole = readFileSync(file);
  for (let at = 0; at < whole.length; at += at < 64 ? 1 : 17) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ 0x55;
    writeFileSync(file, damaged);
    expect(cache.get('key'), `${at}`).toBeUndefined();
    writeFileSync(file, whole.subarray(0, at));
    expect(cache.get('key'), `${at}`).toBeUndefined();
  }
});

test('notes that are cut off at any byte are good as far as they go', () => {
  const into = fresh();
  const file = join(into, '0.0.tsv');
  const notes = new NotesWriter(file, { worker: 0, life: 0, phase: 0 });
  const one = { kind: 'entry', place: '', turn: 0, time: 5, sender: NOBODY, senderLife: 0 } as const;
  for (let i = 1; i <= 3; i++) {
    notes.mark('stdout', i);
    if (i === 2) notes.error('Error: lost');
    notes.stretch(
      { ...one, actor: `the ${'long '.repeat(i * 5)}one`, method: 'timer', event: i, number: i },
      i * 100,
      0,
    );
  }
  notes.end('cut off', 3, 0);
  const whole = readFileSync(file);
  let most = 0;
  for (let length = 0; length <= whole.length; length++) {
    writeFileSync(file, whole.subarray(0, length));
    const survey = Survey.read(into);
    expect(survey.count).toBeGreaterThanOrEqual(most);
    most = survey.count;
    for (let order = 1; order <= survey.count; order++)
      expect(survey.stretch(order)).toMatchObject({
        event: order,
        callback: order,
        statements: order * 100,
        method: 'timer',
      });
  }
  const survey = Survey.read(into);
  expect(survey.threads).toEqual([{ worker: 0, life: 0, count: 3, end: 'cut off', events: 3 }]);
  expect(survey.marks()).toEqual([
    { order: 1, kind: 'stdout', value: 1 },
    { order: 2, kind: 'stdout', value: 2 },
    { order: 2, kind: 'error', value: 'Error: lost' },
    { order: 3, kind: 'stdout', value: 3 },
  ]);
});
