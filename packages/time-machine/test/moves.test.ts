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
  taskTitle,
} from '@turntable/time-machine';
import { firstLineMatcher } from '@turntable/time-machine/task-log';
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
  const [printing, failing] = [tasksWith('stdout', 'stderr'), tasksWith('uncaught', 'unhandled')];
  const thrown = tasksWith('caught', 'rejection', 'uncaught');
  const tasksWithText = (kind: string, start: string): Set<number> =>
    new Set(
      runIndex
        .events()
        .flatMap((event) => (event.kind === kind && String(event.value).startsWith(start) ? [event.order] : [])),
    );
  const tasksWithPart = (kinds: readonly string[], part: string): Set<number> =>
    new Set(
      runIndex
        .events()
        .flatMap(({ kind, value, text, order }) =>
          kinds.includes(kind) && (text ?? String(value)).includes(part) ? [order] : [],
        ),
    );
  const texts = ['caught', 'rejection', 'device', 'request', 'response'] as const;
  const eventKind = texts.flatMap((kind): ReturnType<typeof expectedNearest> => {
    const [all, some] = [tasksWithText(kind, ''), tasksWithText(kind, 'GET')];
    const withPart = tasksWithPart([kind], 'T /');
    return [
      [kind, {}, (_, { order }) => all.has(order)],
      [kind, { text: 'GET*' }, (_, { order }) => some.has(order)],
      [kind, { text: 'T /' }, (_, { order }) => withPart.has(order)],
    ];
  });
  const lost = tasksWithText('uncaught', 'Error: 1 ');
  const [printedPart, thrownPart] = [tasksWithPart(['stdout'], '/1'), tasksWithPart(['uncaught'], 'r: 2 of')];
  const first = runIndex.task(1).phase;
  const begins = new Map<number, number>();
  for (let order = runIndex.count; order >= 1; order--) begins.set(runIndex.task(order).phase, order);
  return [
    ['task', {}, () => true],
    ['task', { text: 'calls actor 1' }, (_, each) => taskTitle(each).includes('calls actor 1')],
    ['task', { text: 'timer*2 of 1' }, (_, each) => /^timer.*2 of 1$/.test(taskTitle(each))],
    ['turn', {}, (_, each) => isTurn(each)],
    ['turn', { text: '2 of 0.m' }, (_, { actor, kind }) => kind === 'call' && actor.endsWith('2 of 0')],
    ['turn', { text: 'actor 1*.m' }, (_, { actor, kind }) => kind === 'call' && actor.startsWith('actor 1')],
    ['turn', { text: 'of 0*' }, () => false],
    ['actor', {}, (from, each) => each.actor === from.actor && each.worker === from.worker],
    ['actor', { name: 'actor 1*' }, (_, { actor }) => actor.startsWith('actor 1')],
    ['actor', { name: '*2 of 0' }, (_, { actor }) => actor.endsWith('2 of 0')],
    ['actor', { name: 'actor 1' }, () => false],
    ['worker', {}, (from, each) => each.worker === from.worker],
    ['worker', { worker: 1 }, (_, each) => each.worker === 1],
    ['output', {}, (_, { order }) => printing.has(order)],
    ['output', { text: '/1' }, (_, { order }) => printedPart.has(order)],
    ['uncaught', {}, (_, { order }) => failing.has(order)],
    ['uncaught', { text: 'Error: 1 of *' }, (_, { order }) => lost.has(order)],
    ['exception', {}, (_, { order }) => thrown.has(order)],
    ['exception', { text: 'r: 2 of' }, (_, { order }) => thrownPart.has(order)],
    ...eventKind,
    ['snapshot', {}, (_, { order, phase }) => phase > first && begins.get(phase) === order],
    ['callback', {}, (_, { kind }) => kind === 'entry'],
    ['callback', { source: 'timer' }, (_, { kind }) => kind === 'entry'],
    ['callback', { source: 'device' }, () => false],
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
          const place = taskBy(graph, 'receiver', order, { input: { number: which } });
          if (place === undefined) break;
          receivers.push(place);
          expect(place).toBeGreaterThan(order);
          expect(taskBy(graph, 'sender', place)).toBe(order);
          count++;
        }
        expect(receivers).toEqual(receivers.toSorted((a, b) => a - b));
        if (sender !== undefined) expect([...graph.receivers(sender)]).toContain(order);
        const replies = receivers.filter((each) => ['fulfil', 'reject'].includes(runIndex.task(each).kind));
        expect(replies.map((_, i) => taskBy(graph, 'reply', order, { input: { number: i + 1 } }))).toEqual(replies);
        for (const each of replies) expect(taskBy(graph, 'resolver', each)).toBe(order);
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
    // A turn of a worker.
    '11:4',
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
      const goTo = (target: string | number): number | undefined => taskBy(graph, 'goto', 1, { input: { target } });
      expect(taskBy(graph, 'goto', count, { input: { target: 'start' } })).toBe(1);
      expect(goTo('end')).toBe(count + 1);
      expect(taskBy(graph, 'task', count + 1, { direction: 'backward' })).toBe(count);
      expect(goTo('100%')).toBe(count);
      expect(goTo('0%')).toBe(1);
      expect(goTo('12.5%')).toBe(Math.max(1, runIndex.taskAtFraction(0.125)));
      const begin = runIndex.task(1).time;
      for (let order = 1; order <= count; order++) {
        const { time, worker, turn } = runIndex.task(order);
        expect(goTo(order)).toBe(order);
        expect(goTo(formatPosition({ order, list: 0, statement: 0 }, graph.phases))).toBe(order);
        expect(resolve(graph, 'goto', 1, { input: { target: `${order}:3.2` } })).toEqual({
          task: order,
          position: { order, list: 3, statement: 2 },
        });
        const at = goTo(new Date(time).toISOString());
        expect(runIndex.task(at ?? 0).time).toBeLessThanOrEqual(time);
        if (turn !== undefined) expect(goTo(`${worker}:${turn}`)).toBe(order);
      }
      for (const target of ['+0.5', '+0.5s']) expect(goTo(target)).toBe(runIndex.taskAtTime(begin + 500));
      expect(resolve(graph, 'goto', 1, { input: { target: '1970-01-01T00:00:00Z' } })).toEqual({
        reason: 'the recording begins after that time',
      });
      expect(resolve(graph, 'goto', 1, { input: { target: '7:1' } })).toEqual({ reason: 'worker 7 has no turn 1' });
    }),
    { numRuns: 10 },
  );
});

test('an invalid argument is refused with the expected form', () => {
  const graph = TaskGraph.of(buildRunIndex([{ action: 'run', thread: 0, sends: 0 }]));
  const rejected: [id: string, input: MoveArgumentInput, reason: string][] = [
    ['turn', { actor: 'a' }, 'the move turn has no parameter "actor"; it has text'],
    ['sender', { actor: 'a' }, 'the move sender has no parameter "actor"; it has none'],
    ['receiver', { number: 0 }, 'number must be a number from 1 on, not 0'],
    ['receiver', { number: '1.5' }, 'number must be a number from 1 on, not "1.5"'],
    ['worker', { worker: '-1' }, 'worker must be the number of a worker; 0 is the main thread, not "-1"'],
    [
      'goto',
      {},
      'the move goto needs the argument target: a position (2.137, 2.137:45.2 or 137), a percentage (50%), a time (+1.5s), start, last (where the program ended), end, or a turn of a worker (WORKER:TURN)',
    ],
    ...['101%', '1.3', 'soon', '+1.5h', '0:x', '3', 'End', '0.1:1.0', '2026-13-45'].map(
      (target): (typeof rejected)[number] => [
        'goto',
        { target },
        `target must be a position such as 2.137, a percentage (50%), a time (+1.5s), start, last, end or WORKER:TURN, not "${target}"; the recording has 0.1 to 0.2 (the end)`,
      ],
    ),
    ['actor', { name: '' }, 'name must be the name of an actor; * matches anything, not ""'],
    ['request', { text: ' ' }, 'text must be a text; * matches anything, not " "'],
    ['callback', { source: '' }, 'source must be the source of a host callback, such as timer, not ""'],
  ];
  for (const [id, input, reason] of rejected) expect(parseMoveArguments(moveOf(id), input, graph)).toBe(reason);
});

test('a long search lets other requests run', () => {
  const invalid = { actorAt: () => undefined, kind: () => 'call', count: 100_000 } as unknown as TaskGraph;
  const search = findDestination(moveOf('callback'), {
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
  const found = (name: string): number | undefined => taskBy(graph, 'actor', 1, { input: { name } });
  for (const actor of ['actor 2 of 0', '*', 'actor*', '*0', 'act*2*0', '**2**'])
    expect([actor, found(actor)]).toEqual([actor, 2]);
  for (const actor of ['actor', '*3*', 'actor 2 of 0 0', 'a*2 of 0*0', 'actor 2 of 0?', 'Actor*'])
    expect([actor, found(actor)]).toEqual([actor, undefined]);
});

test('a text matches a part of the first line, and with * all of it', () => {
  const texts = ['GET /carts/7\nhost: a*b', 'POST /carts'];
  const matching = (text: string): number[] => {
    const isMatch = firstLineMatcher(text);
    return texts.flatMap((each, i) => (isMatch(each) ? [i] : []));
  };
  for (const text of ['carts', 'T /carts', '', '*', '**', '*T /carts*'])
    expect([text, matching(text)]).toEqual([text, [0, 1]]);
  for (const text of ['GET', 'GET /carts/7', 'GET*', '*7', 'G*/7']) expect([text, matching(text)]).toEqual([text, [0]]);
  for (const text of ['POST /carts', 'POST*carts', '*carts']) expect([text, matching(text)]).toEqual([text, [1]]);
  for (const text of ['get', 'carts*', '*T', 'host', '*host*', 'a*b', 'GET.*', 'carts/8'])
    expect([text, matching(text)]).toEqual([text, []]);
});
