// Task logs, read and put into the linear order: of random runs, and of files that are cut off anywhere.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { findDestination, MOVES, RunIndex, RunIndexCache, TaskGraph, type Move } from '@turntable/time-machine';
import { ALL_MESSAGES, NO_SENDER, TaskLogWriter } from '@turntable/time-machine/task-log';
import {
  writeTaskLogs,
  randomSteps,
  type ExpectedTask,
  type ExpectedUndelivered,
  type RandomStep,
} from './random-runs.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
let count = 0;

function newDirectory(): string {
  return mkdtempSync(join(directory, `${count++}-`));
}

test('a task comes after the previous one of its thread and all tasks that its thread could know of, phase by phase', () => {
  fc.assert(
    fc.property(randomSteps, (all) => {
      const directory = newDirectory();
      const ran = writeTaskLogs(all, directory);
      const runIndex = RunIndex.read(directory);
      expect(runIndex.count).toBe(ran.length);
      const tasks = Array.from({ length: runIndex.count }, (_, i) => runIndex.task(i + 1));
      expect(new Set(tasks.map(({ worker, number }) => `${worker} ${number}`)).size).toBe(ran.length);
      const tasksByKey = new Map(ran.map((each) => [`${each.worker} ${each.number}`, each]));
      const lastNumbers = [0, 0, 0];
      let phase = 0;
      for (const { worker, number, phase: actual, order, sender } of tasks) {
        const expected = tasksByKey.get(`${worker} ${number}`) as ExpectedTask;
        expect(actual).toBe(expected.phase);
        expect(actual).toBeGreaterThanOrEqual(phase);
        phase = actual;
        expect(number).toBe((lastNumbers[worker] ?? 0) + 1);
        lastNumbers[worker] = number;
        expected.known.forEach((firstUnknown, i) => expect(firstUnknown).toBeLessThanOrEqual(lastNumbers[i] ?? 0));
        expect(sender).toBe(expected.sender && runIndex.orderOf(expected.sender[0], 0, expected.sender[1]));
        expect(sender ?? 0).toBeLessThan(order);
      }
      rmSync(directory, { recursive: true });
    }),
    { numRuns: 60 },
  );
});

test('an undelivered message has its sender, on the same thread or another one', () => {
  fc.assert(
    fc.property(randomSteps, (all) => {
      const directory = newDirectory();
      const undelivered: ExpectedUndelivered[] = [];
      writeTaskLogs(all, directory, undelivered);
      const runIndex = RunIndex.read(directory);
      const tasks = undelivered.map(({ worker, sender }) => ({
        worker,
        epoch: 0,
        actor: `actor 0 of ${worker}`,
        subject: 'm',
        sender: sender && runIndex.orderOf(sender[0], 0, sender[1]),
      }));
      expect(runIndex.undeliveredMessages().toSorted((first, second) => first.worker - second.worker)).toEqual(tasks);
      for (const each of tasks)
        expect(TaskGraph.of(runIndex).undeliveredTo(each.worker, 0, each.actor)).toEqual([each]);
      rmSync(directory, { recursive: true });
    }),
    { numRuns: 40 },
  );
  const directory = newDirectory();
  const notes = new TaskLogWriter(join(directory, '0.0.tsv'), { worker: 0, epoch: 0, phase: 0 });
  const actual = { actor: 'a', sender: 0, senderEpoch: 0, causeNumber: 1 };
  const task = { kind: 'evaluation', method: '', methodLocation: '', turn: 0, traceEvent: 1, time: 1 } as const;
  notes.writeTask({ ...task, ...actual, sender: NO_SENDER, causeNumber: 0 }, 0, 2);
  for (const subject of ['first', 'second']) notes.writeUndelivered({ ...actual, subject });
  notes.writeUndelivered({ ...actual, subject: 'of an unknown sender', sender: NO_SENDER });
  notes.flush();
  const runIndex = RunIndex.read(directory);
  const waiting = runIndex.undeliveredMessages();
  expect(waiting.map(({ subject, sender }) => [subject, sender])).toEqual([
    ['first', 1],
    ['second', 1],
    ['of an unknown sender', undefined],
  ]);
  const receiver = MOVES.find(({ id }) => id === 'receiver') as Move;
  const from = { task: 1, isInTask: false };
  const landing = findDestination(receiver, {
    graph: TaskGraph.of(runIndex),
    from,
    direction: 'forward',
    args: new Map(),
  }).next();
  expect(landing.value).toEqual({ reason: 'the recording ends before a handled a message of this task' });
});

test('a task is found by turn, time, fraction and thread', () => {
  const directory = newDirectory();
  const all: RandomStep[] = Array.from({ length: 30 }, (_, i) =>
    i % 3 === 2 ? { action: 'read', thread: i % 2 } : { action: 'run', thread: i % 2, sends: 0 },
  );
  writeTaskLogs(all, directory);
  const runIndex = RunIndex.read(directory);
  for (let order = 1; order <= runIndex.count; order++) {
    const { worker, epoch, number, turn, time } = runIndex.task(order);
    expect(runIndex.orderOf(worker, epoch, number)).toBe(order);
    expect(runIndex.taskOfTurn(worker, turn ?? 0)).toBe(order);
    expect(runIndex.task(runIndex.taskAtTime(time)).time).toBe(time);
  }
  const [first, second] = [runIndex.tasksOfWorker(0), runIndex.tasksOfWorker(1)];
  expect([...first, ...second].toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: runIndex.count }, (_, i) => i + 1),
  );
  expect([...first]).toEqual([...first].toSorted((a, b) => a - b));
  expect([runIndex.taskAtFraction(0), runIndex.taskAtFraction(1), runIndex.taskAtFraction(0.5)]).toEqual([
    1,
    runIndex.count,
    runIndex.count / 2,
  ]);
  expect([
    runIndex.taskAtTime(0),
    runIndex.taskAtTime(1e9),
    runIndex.orderOf(2, 0, 1),
    runIndex.taskOfTurn(0, 999),
  ]).toEqual([0, runIndex.count, undefined, undefined]);
  // Before the first task of a thread and after its last one.
  for (const { worker, epoch, count } of runIndex.threads)
    expect([0, count + 1].map((number) => runIndex.orderOf(worker, epoch, number))).toEqual([undefined, undefined]);
});

test('a thread of a later epoch comes after all of the one before', () => {
  const directory = newDirectory();
  const writeLog = (
    worker: number,
    epoch: number,
    time: number,
    before: (notes: TaskLogWriter) => void = () => {},
  ): void => {
    const notes = new TaskLogWriter(join(directory, `${worker}.${epoch}.tsv`), { worker, epoch, phase: 0 });
    before(notes);
    for (let turn = 1; turn <= 2; turn++)
      notes.writeTask(
        {
          kind: 'call',
          actor: 'a',
          method: 'm',
          methodLocation: '',
          turn,
          traceEvent: 1,
          time,
          sender: NO_SENDER,
          senderEpoch: 0,
          causeNumber: 0,
        },
        0,
        0,
      );
    notes.flush();
  };
  writeLog(0, 0, 1, (notes) => notes.writeReceived(1, 0, ALL_MESSAGES));
  writeLog(1, 0, 9);
  writeLog(1, 1, 3);
  const runIndex = RunIndex.read(directory);
  const tasks = Array.from({ length: 6 }, (_, i) => runIndex.task(i + 1));
  expect(tasks.map(({ worker, epoch }) => `${worker}.${epoch}`)).toEqual(['1.0', '1.0', '0.0', '0.0', '1.1', '1.1']);
});

test('a cached run index decodes to the same one, and a damaged one to nothing', () => {
  const directory = newDirectory();
  writeTaskLogs(
    Array.from({ length: 20 }, (_, i): RandomStep => {
      if (i % 5 === 2) return { action: 'take', thread: 1, from: 0 };
      return i % 5 === 4 ? { action: 'cut', thread: 1 } : { action: 'run', thread: i % 3, sends: 1 };
    }),
    directory,
  );
  const runIndex = RunIndex.read(directory);
  expect(runIndex.undeliveredMessages().length).toBe(1);
  const tasks = (actual: RunIndex): unknown => [
    Array.from({ length: actual.count }, (_, i) => actual.task(i + 1)),
    actual.events(),
    actual.threads,
    actual.undeliveredMessages(),
    [...actual.tasksOfWorker(1)],
  ];
  const cache = new RunIndexCache(join(directory, 'cache'));
  expect(cache.get('key')).toBeUndefined();
  cache.put('key', runIndex, { verdict: 'same' });
  const cached = cache.get('key');
  expect(cached?.metadata).toEqual({ verdict: 'same' });
  expect(cached && tasks(cached.runIndex)).toEqual(tasks(runIndex));
  const file = join(directory, 'cache', 'key.run-index');
  const whole = readFileSync(file);
  for (let offset = 0; offset < whole.length; offset += offset < 64 ? 1 : 17) {
    const damaged = Buffer.from(whole);
    damaged[offset] = (damaged[offset] ?? 0) ^ 0x55;
    writeFileSync(file, damaged);
    expect(cache.get('key'), `${offset}`).toBeUndefined();
    writeFileSync(file, whole.subarray(0, offset));
    expect(cache.get('key'), `${offset}`).toBeUndefined();
  }
});

test('a log that is cut off at any byte is valid up to there', () => {
  const directory = newDirectory();
  const file = join(directory, '0.0.tsv');
  const notes = new TaskLogWriter(file, { worker: 0, epoch: 0, phase: 0 });
  const first = { kind: 'entry', methodLocation: '', turn: 0, time: 5, sender: NO_SENDER, senderEpoch: 0 } as const;
  for (let i = 1; i <= 3; i++) {
    notes.writeOutput('stdout', i, () => (i === 1 ? '' : `line ${i}`));
    if (i === 2) notes.writeTextEvent('uncaught', 'Error: lost');
    notes.writeTask(
      { ...first, actor: `the ${'long '.repeat(i * 5)}one`, method: 'timer', traceEvent: i, causeNumber: i },
      i * 100,
      0,
    );
  }
  notes.finish('cut off', 3, 0);
  const whole = readFileSync(file);
  let maxCount = 0;
  for (let length = 0; length <= whole.length; length++) {
    writeFileSync(file, whole.subarray(0, length));
    const runIndex = RunIndex.read(directory);
    expect(runIndex.count).toBeGreaterThanOrEqual(maxCount);
    maxCount = runIndex.count;
    for (let order = 1; order <= runIndex.count; order++)
      expect(runIndex.task(order)).toMatchObject({
        traceEvent: order,
        callback: order,
        statementLists: order * 100,
        method: 'timer',
      });
  }
  const runIndex = RunIndex.read(directory);
  expect(runIndex.threads).toEqual([{ worker: 0, epoch: 0, count: 3, end: 'cut off', traceEvents: 3 }]);
  expect(runIndex.events()).toEqual([
    { order: 1, kind: 'stdout', value: 1 },
    { order: 2, kind: 'stdout', value: 2, text: 'line 2' },
    { order: 2, kind: 'uncaught', value: 'Error: lost' },
    { order: 3, kind: 'stdout', value: 3, text: 'line 3' },
  ]);
});

test('the size of output is recorded without a limit, its text up to one', () => {
  const directory = newDirectory();
  const notes = new TaskLogWriter(join(directory, '0.0.tsv'), { worker: 0, epoch: 0, phase: 0 });
  const long = 'x'.repeat(990);
  const lines = 9_000;
  for (let i = 0; i < lines; i++) notes.writeOutput('stderr', 1000, () => `${i} ${long}`);
  const actual = {
    kind: 'entry',
    actor: 'it',
    method: '',
    methodLocation: '',
    turn: 0,
    time: 5,
    sender: NO_SENDER,
  } as const;
  notes.writeTask({ ...actual, senderEpoch: 0, traceEvent: 1, causeNumber: 1 }, 0, 0);
  notes.finish('ended', 1, 0);
  const events = RunIndex.read(directory).eventsAt(1);
  expect(events.length).toBe(lines);
  expect(new Set(events.map(({ value }) => value))).toEqual(new Set([1000]));
  const firstUnknown = events.findIndex(({ text }) => text === undefined);
  expect(firstUnknown).toBeGreaterThan(8_000);
  expect(events[firstUnknown - 1]?.text).toBe(`${firstUnknown - 1} ${long}`);
  expect(events.slice(firstUnknown).every(({ text }) => text === undefined)).toBe(true);
});
