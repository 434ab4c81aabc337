// Moves form an algebra: a move backward undoes one forward, a receiver leads back to its sender, and positions have
// the order of the run.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  parseMoveArguments,
  comparePositions,
  findDestination,
  MOVES,
  parsePosition,
  formatPosition,
  type RunIndex,
  TaskGraph,
  type Direction,
  type MoveArgumentInput,
  type MoveDestination,
  type Move,
  type MoveStart,
  type Task,
} from '@turntable/time-machine';
import { randomSteps, buildRunIndex } from './random-runs.ts';

/** Run indexes that have tasks. */
const runIndexes = randomSteps.map(buildRunIndex).filter(({ count }) => count > 0);

function moveOf(id: string): Move {
  const found = MOVES.find((move) => move.id === id);
  if (found === undefined) throw new Error(`there is no move ${id}`);
  return found;
}

function resolve(
  graph: TaskGraph,
  id: string,
  from: number | MoveStart,
  { direction = 'forward', input = {} }: { direction?: Direction; input?: MoveArgumentInput } = {},
): MoveDestination {
  const move = moveOf(id);
  const args = parseMoveArguments(move, input, graph);
  if (typeof args === 'string') throw new Error(args);
  const start = typeof from === 'number' ? { task: from, isInTask: false } : from;
  const search = findDestination(move, { graph, from: start, direction, args });
  for (let step = search.next(); ; step = search.next()) if (step.done === true) return step.value;
}

function taskBy(...args: Parameters<typeof resolve>): number | undefined {
  const landing = resolve(...args);
  return 'task' in landing ? landing.task : undefined;
}

const isTurn = ({ kind }: Task): boolean => !['entry', 'jobs', 'evaluation'].includes(kind);

/** Moves with directions, and the tasks among which each finds the nearest one, from a task. */
function expectedNearest(
  runIndex: RunIndex,
): [id: string, input: MoveArgumentInput, among: (from: Task, each: Task) => boolean][] {
  const tasksWith = (...kinds: string[]): Set<number> =>
    new Set(runIndex.events().flatMap(({ kind, order }) => (kinds.includes(kind) ? [order] : [])));
  const [printing, failing] = [tasksWith('stdout', 'stderr'), tasksWith('error')];
  const tasksWithText = (kind: string, start: string): Set<number> =>
    new Set(
      runIndex
        .events()
        .flatMap((event) => (event.kind === kind && String(event.value).startsWith(start) ? [event.order] : [])),
    );
  const texts = ['exception', 'rejection', 'device', 'request', 'response'] as const;
  const eventKind = texts.flatMap((kind): ReturnType<typeof expectedNearest> => {
    const [all, some] = [tasksWithText(kind, ''), tasksWithText(kind, 'GET')];
    return [
      [kind, {}, (_, { order }) => all.has(order)],
      [kind, { matching: 'GET*' }, (_, { order }) => some.has(order)],
    ];
  });
  const lost = tasksWithText('error', 'Error: 1 ');
  const first = runIndex.task(1).phase;
  const begins = new Map<number, number>();
  for (let order = runIndex.count; order >= 1; order--) begins.set(runIndex.task(order).phase, order);
  return [
    ['task', {}, () => true],
    ['turn', {}, (_, each) => isTurn(each)],
    ['actor', {}, (from, each) => each.actor === from.actor && each.worker === from.worker],
    ['worker', {}, (from, each) => each.worker === from.worker],
    ['worker', { worker: 1 }, (_, each) => each.worker === 1],
    ['output', {}, (_, { order }) => printing.has(order)],
    ['error', {}, (_, { order }) => failing.has(order)],
    ['error', { matching: 'Error: 1 of *' }, (_, { order }) => lost.has(order)],
    ...eventKind,
    ['snapshot', {}, (_, { order, phase }) => phase > first && begins.get(phase) === order],
    ['entry', {}, (_, { kind }) => kind === 'entry'],
    ['entry', { source: 'timer' }, (_, { kind }) => kind === 'entry'],
    ['entry', { source: 'device' }, () => false],
    ['match', { actor: 'actor 1*' }, (_, { actor }) => actor.startsWith('actor 1')],
    ['match', { actor: '*2', method: 'm' }, (_, { actor, kind }) => actor.endsWith('2') && kind !== 'entry'],
  ];
}

test('a move with directions finds the nearest task, and backward undoes forward', () => {
  const ids = new Set<string>();
  fc.assert(
    fc.property(runIndexes, (runIndex) => {
      const graph = TaskGraph.of(runIndex);
      const all = Array.from({ length: runIndex.count }, (_, i) => runIndex.task(i + 1));
      for (const [id, input, among] of expectedNearest(runIndex)) {
        ids.add(id);
        for (const from of all) {
          const { order } = from;
          const places = all.filter((each) => among(from, each)).map((each) => each.order);
          const later = places.find((each) => each > order);
          const earlier = places.findLast((each) => each < order);
          const isCandidate = places.includes(order);
          expect([id, order, taskBy(graph, id, order, { input })]).toEqual([id, order, later]);
          expect([id, order, taskBy(graph, id, order, { input, direction: 'backward' })]).toEqual([id, order, earlier]);
          // Inside a task, its start is in the past.
          const position = { task: order, isInTask: true };
          expect(taskBy(graph, id, position, { input, direction: 'backward' })).toBe(isCandidate ? order : earlier);
          expect(taskBy(graph, id, position, { input })).toBe(later);
          if (!isCandidate) continue;
          if (later !== undefined) expect(taskBy(graph, id, later, { input, direction: 'backward' })).toBe(order);
          if (earlier !== undefined) expect(taskBy(graph, id, earlier, { input })).toBe(order);
        }
      }
    }),
    { numRuns: 6 },
  );
  expect([...ids].toSorted()).toEqual(
    MOVES.filter(({ directions }) => directions.length > 0)
      .map(({ id }) => id)
      .toSorted(),
  );
});

test('each receiver of a task has that task as its sender', () => {
  let count = 0;
  fc.assert(
    fc.property(runIndexes, (runIndex) => {
      const graph = TaskGraph.of(runIndex);
      for (let order = 1; order <= runIndex.count; order++) {
        const { sender } = runIndex.task(order);
        expect(taskBy(graph, 'sender', order)).toBe(sender);
        const receivers: number[] = [];
        for (let which = 1; ; which++) {
          const place = taskBy(graph, 'receiver', order, { input: { which } });
          if (place === undefined) break;
          receivers.push(place);
          expect(place).toBeGreaterThan(order);
          expect(taskBy(graph, 'sender', place)).toBe(order);
          count++;
        }
        expect(receivers).toEqual(receivers.toSorted((a, b) => a - b));
        if (sender !== undefined) expect([...graph.receivers(sender)]).toContain(order);
        const answers = receivers.filter((each) => ['fulfil', 'reject'].includes(runIndex.task(each).kind));
        expect(answers.map((_, i) => taskBy(graph, 'answer', order, { input: { which: i + 1 } }))).toEqual(answers);
        for (const each of answers) expect(taskBy(graph, 'resolver', each)).toBe(order);
      }
    }),
    { numRuns: 20 },
  );
  // Some runs send few messages.
  expect(count).toBeGreaterThan(20);
});

test('the creation of an actor is its construction, and its spawner is the sender of that', () => {
  fc.assert(
    fc.property(runIndexes, (runIndex) => {
      const graph = TaskGraph.of(runIndex);
      for (let order = 1; order <= runIndex.count; order++) {
        const { actor, worker } = runIndex.task(order);
        const made = Array.from(runIndex.tasksOfWorker(worker), (each) => runIndex.task(each)).find(
          (each) => each.actor === actor && each.kind === 'construct',
        );
        expect(taskBy(graph, 'birth', order)).toBe(made?.order);
        expect(taskBy(graph, 'spawner', order)).toBe(made?.sender);
      }
    }),
    { numRuns: 10 },
  );
});

test('positions have the order of the run, and their texts parse to them', () => {
  const position = fc.oneof(
    fc.constant({ list: 0, statement: 0 }),
    fc.record({ list: fc.integer({ min: 0, max: 999 }), statement: fc.integer({ min: 1, max: 99 }) }),
  );
  fc.assert(
    fc.property(
      runIndexes,
      fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), position)),
      (runIndex, some) => {
        const { phases, count } = TaskGraph.of(runIndex);
        const positions = some.map(([part, args]) => ({
          order: Math.min(count, 1 + Math.floor(part * count)),
          ...args,
        }));
        const end = { order: count + 1, list: 0, statement: 0 };
        for (const position of [...positions, end]) {
          const text = formatPosition(position, phases);
          expect(parsePosition(text, phases, count)).toEqual(position);
          const [phase] = text.split('.');
          if (position !== end) expect(Number(phase)).toBe(runIndex.task(position.order).phase);
          const { order, list, statement } = position;
          if (list === 0 && statement === 0) expect(parsePosition(String(order), phases, count)).toEqual(position);
          else expect(parsePosition(`${order}:${list}.${statement}`, phases, count)).toEqual(position);
        }
        const sorted = [...positions].sort(comparePositions);
        const key = ({ order, list, statement }: (typeof sorted)[number]): number =>
          (order * 1000 + list) * 100 + statement;
        expect(sorted.map(key)).toEqual(positions.map(key).toSorted((a, b) => a - b));
      },
    ),
    { numRuns: 20 },
  );
});

test('invalid texts parse to no position', () => {
  const phases = [
    { phase: 2, firstTask: 1 },
    { phase: 3, firstTask: 11 },
  ];
  const invalid = [
    '',
    '0',
    '22',
    '2.0',
    '2.11',
    '1.1',
    '4.1',
    '3.12',
    '2.1:3.0',
    '3.11:1.1',
    '2.',
    'x',
    '2.1:',
    '-1',
    '1e3',
  ];
  for (const text of invalid) expect([text, parsePosition(text, phases, 20)]).toEqual([text, undefined]);
  expect(parsePosition('3.11', phases, 20)).toEqual({ order: 21, list: 0, statement: 0 });
  expect(parsePosition('2.10', phases, 20)).toEqual({ order: 10, list: 0, statement: 0 });
  expect(parsePosition('3.1:4', phases, 20)).toEqual({ order: 11, list: 4, statement: 1 });
  expect(parsePosition('0.1', [], 0)).toEqual({ order: 1, list: 0, statement: 0 });
});

test('tasks are found by percentage, time, turn and position', () => {
  fc.assert(
    fc.property(runIndexes, (runIndex) => {
      const graph = TaskGraph.of(runIndex);
      const { count } = runIndex;
      expect(taskBy(graph, 'start', count)).toBe(1);
      expect(taskBy(graph, 'end', 1)).toBe(count + 1);
      expect(taskBy(graph, 'task', count + 1, { direction: 'backward' })).toBe(count);
      expect(taskBy(graph, 'percentage', 1, { input: { percentage: '100%' } })).toBe(count);
      expect(taskBy(graph, 'percentage', 1, { input: { percentage: 0 } })).toBe(1);
      const begin = runIndex.task(1).time;
      for (let order = 1; order <= count; order++) {
        const { time, worker, turn } = runIndex.task(order);
        expect(taskBy(graph, 'position', 1, { input: { position: order } })).toBe(order);
        const at = taskBy(graph, 'time', 1, { input: { time: new Date(time).toISOString() } });
        expect(runIndex.task(at ?? 0).time).toBeLessThanOrEqual(time);
        if (turn !== undefined) expect(taskBy(graph, 'nth', 1, { input: { worker, turn } })).toBe(order);
      }
      const after = taskBy(graph, 'time', 1, { input: { time: '+0.5' } });
      expect(after).toBe(runIndex.taskAtTime(begin + 500));
    }),
    { numRuns: 10 },
  );
});

test('an invalid argument is refused with the expected form', () => {
  const graph = TaskGraph.of(buildRunIndex([{ action: 'run', thread: 0, sends: 0 }]));
  const rejected: [id: string, input: MoveArgumentInput, reason: string][] = [
    ['turn', { actor: 'a' }, 'the move turn has no parameter "actor"; it has none'],
    ['receiver', { which: 0 }, 'which must be a number from 1 on, not 0'],
    ['receiver', { which: '1.5' }, 'which must be a number from 1 on, not "1.5"'],
    ['worker', { worker: '-1' }, 'worker must be the number of a worker; 0 is the main thread, not "-1"'],
    ['percentage', { percentage: 101 }, 'percentage must be a number from 0 to 100, not 101'],
    ['percentage', {}, 'the move percentage needs the argument percentage: a number from 0 to 100'],
    [
      'position',
      { position: '1.3' },
      'position must be a position of the recording, such as 2.137, 2.137:45.2, 137 or 137:45.2, not "1.3"; the recording has 0.1 to 0.2 (the end)',
    ],
    ['match', { actor: '' }, 'actor must be a name; * matches anything, not ""'],
  ];
  for (const [id, input, reason] of rejected) expect(parseMoveArguments(moveOf(id), input, graph)).toBe(reason);
  expect(parseMoveArguments(moveOf('time'), { time: 'soon' }, graph)).toMatch(/^time must be a time such as /);
});

test('a long search lets other requests run', () => {
  const invalid = { actorAt: () => undefined, kind: () => 'call', count: 100_000 } as unknown as TaskGraph;
  const search = findDestination(moveOf('entry'), {
    graph: invalid,
    from: { task: 1, isInTask: false },
    direction: 'forward',
    args: new Map(),
  });
  const yielded: number[] = [];
  for (let step = search.next(); step.done !== true; step = search.next()) yielded.push(step.value);
  expect(yielded.length).toBeGreaterThan(3);
  expect(yielded).toEqual(yielded.toSorted((a, b) => a - b));
});

test('in a pattern, * matches anything', () => {
  const other = { action: 'run', thread: 0, sends: 0, actor: 2 } as const;
  const graph = TaskGraph.of(buildRunIndex([{ action: 'run', thread: 0, sends: 0 }, other]));
  const found = (actor: string): number | undefined => taskBy(graph, 'match', 1, { input: { actor } });
  for (const actor of ['actor 2 of 0', '*', 'actor*', '*0', 'act*2*0', '**2**'])
    expect([actor, found(actor)]).toEqual([actor, 2]);
  for (const actor of ['actor', '*3*', 'actor 2 of 0 0', 'a*2 of 0*0', 'actor 2 of 0?', 'Actor*'])
    expect([actor, found(actor)]).toEqual([actor, undefined]);
});
