// The notes of threads, read and put into one order: of runs that never were, in which threads do as chance has it, and of files that are cut off anywhere.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { landingOf, MOVES, Survey, SurveyCache, SurveyIndex, type Move } from '@turntable/time-machine';
import { ALL, NOBODY, NotesWriter } from '@turntable/time-machine/notes';
import { run, steps, type Ran, type Remaining, type Step } from './random-runs.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
let count = 0;

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

test('what comes to no turn is told of with who has sent it, of the thread itself and of another one', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const into = fresh();
      const left: Remaining[] = [];
      run(all, into, left);
      const survey = Survey.read(into);
      const told = left.map(({ worker, sender }) => ({
        worker,
        life: 0,
        actor: `actor 0 of ${worker}`,
        what: 'm',
        sender: sender && survey.orderOf(sender[0], 0, sender[1]),
      }));
      expect(survey.left().toSorted((one, other) => one.worker - other.worker)).toEqual(told);
      for (const each of told) expect(SurveyIndex.of(survey).leftFor(each.worker, 0, each.actor)).toEqual([each]);
      rmSync(into, { recursive: true });
    }),
    { numRuns: 40 },
  );
  const into = fresh();
  const notes = new NotesWriter(join(into, '0.0.tsv'), { worker: 0, life: 0, phase: 0 });
  const its = { actor: 'a', sender: 0, senderLife: 0, number: 1 };
  const stretch = { kind: 'evaluation', method: '', place: '', turn: 0, event: 1, time: 1 } as const;
  notes.stretch({ ...stretch, ...its, sender: NOBODY, number: 0 }, 0, 2);
  for (const what of ['first', 'second']) notes.left({ ...its, what });
  notes.left({ ...its, what: 'of nobody', sender: NOBODY });
  notes.flush();
  const survey = Survey.read(into);
  const waiting = survey.left();
  expect(waiting.map(({ what, sender }) => [what, sender])).toEqual([
    ['first', 1],
    ['second', 1],
    ['of nobody', undefined],
  ]);
  const receiver = MOVES.find(({ id }) => id === 'receiver') as Move;
  const from = { place: 1, isWithin: false };
  const landing = landingOf(receiver, {
    index: SurveyIndex.of(survey),
    from,
    direction: 'forward',
    its: new Map(),
  }).next();
  expect(landing.value).toEqual({ why: 'what was sent here to a still waits when the recording ends' });
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
    Array.from({ length: 20 }, (_, i): Step => {
      if (i % 5 === 2) return { what: 'take', thread: 1, from: 0 };
      return i % 5 === 4 ? { what: 'cut', thread: 1 } : { what: 'run', thread: i % 3, sends: 1 };
    }),
    into,
  );
  const survey = Survey.read(into);
  expect(survey.left().length).toBe(1);
  const told = (its: Survey): unknown => [
    Array.from({ length: its.count }, (_, i) => its.stretch(i + 1)),
    its.marks(),
    its.threads,
    its.left(),
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
    notes.printed('stdout', i, () => (i === 1 ? '' : `line ${i}`));
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
        lists: order * 100,
        method: 'timer',
      });
  }
  const survey = Survey.read(into);
  expect(survey.threads).toEqual([{ worker: 0, life: 0, count: 3, end: 'cut off', events: 3 }]);
  expect(survey.marks()).toEqual([
    { order: 1, kind: 'stdout', value: 1 },
    { order: 2, kind: 'stdout', value: 2, text: 'line 2' },
    { order: 2, kind: 'error', value: 'Error: lost' },
    { order: 3, kind: 'stdout', value: 3, text: 'line 3' },
  ]);
});

test('of a thread that prints without an end it is known how much it prints, and what as far as there is room', () => {
  const into = fresh();
  const notes = new NotesWriter(join(into, '0.0.tsv'), { worker: 0, life: 0, phase: 0 });
  const long = 'x'.repeat(990);
  const lines = 9_000;
  for (let i = 0; i < lines; i++) notes.printed('stderr', 1000, () => `${i} ${long}`);
  const its = { kind: 'entry', actor: 'it', method: '', place: '', turn: 0, time: 5, sender: NOBODY } as const;
  notes.stretch({ ...its, senderLife: 0, event: 1, number: 1 }, 0, 0);
  notes.end('ended', 1, 0);
  const marks = Survey.read(into).marksAt(1);
  expect(marks.length).toBe(lines);
  expect(new Set(marks.map(({ value }) => value))).toEqual(new Set([1000]));
  const known = marks.findIndex(({ text }) => text === undefined);
  expect(known).toBeGreaterThan(8_000);
  expect(marks[known - 1]?.text).toBe(`${known - 1} ${long}`);
  expect(marks.slice(known).every(({ text }) => text === undefined)).toBe(true);
});
