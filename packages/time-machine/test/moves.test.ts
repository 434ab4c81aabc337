// Moves form an algebra: what goes back undoes what went forward, whoever goes to a sender comes back by a receiver, and positions are in the order in which things ran.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  argumentsFor,
  comparePositions,
  landingOf,
  MOVES,
  positionOf,
  positionText,
  type Survey,
  SurveyIndex,
  type Direction,
  type GivenArguments,
  type Landing,
  type Move,
  type Standing,
  type Stretch,
} from '@turntable/time-machine';
import { steps, surveyOf } from './random-runs.ts';

/** Of surveys with something in them. */
const surveys = steps.map(surveyOf).filter(({ count }) => count > 0);

function moveOf(id: string): Move {
  const found = MOVES.find((move) => move.id === id);
  if (found === undefined) throw new Error(`there is no move ${id}`);
  return found;
}

function go(
  index: SurveyIndex,
  id: string,
  from: number | Standing,
  { direction = 'forward', given = {} }: { direction?: Direction; given?: GivenArguments } = {},
): Landing {
  const move = moveOf(id);
  const its = argumentsFor(move, given, index);
  if (typeof its === 'string') throw new Error(its);
  const standing = typeof from === 'number' ? { place: from, isWithin: false } : from;
  const search = landingOf(move, { index, from: standing, direction, its });
  for (let step = search.next(); ; step = search.next()) if (step.done === true) return step.value;
}

function placeBy(...args: Parameters<typeof go>): number | undefined {
  const landing = go(...args);
  return 'place' in landing ? landing.place : undefined;
}

const isTurn = ({ kind }: Stretch): boolean => !['entry', 'jobs', 'evaluation'].includes(kind);

/** Moves that have directions, and of which places each is to the nearest, from a stretch. */
function nearest(
  survey: Survey,
): [id: string, given: GivenArguments, among: (from: Stretch, each: Stretch) => boolean][] {
  const marked = (...kinds: string[]): Set<number> =>
    new Set(survey.marks().flatMap(({ kind, order }) => (kinds.includes(kind) ? [order] : [])));
  const [printing, failing] = [marked('stdout', 'stderr'), marked('error')];
  const telling = (kind: string, start: string): Set<number> =>
    new Set(
      survey
        .marks()
        .flatMap((mark) => (mark.kind === kind && String(mark.value).startsWith(start) ? [mark.order] : [])),
    );
  const texts = ['exception', 'rejection', 'device', 'request', 'response'] as const;
  const happening = texts.flatMap((kind): ReturnType<typeof nearest> => {
    const [all, some] = [telling(kind, ''), telling(kind, 'GET')];
    return [
      [kind, {}, (_, { order }) => all.has(order)],
      [kind, { matching: 'GET*' }, (_, { order }) => some.has(order)],
    ];
  });
  const lost = telling('error', 'Error: 1 ');
  const first = survey.stretch(1).phase;
  const begins = new Map<number, number>();
  for (let order = survey.count; order >= 1; order--) begins.set(survey.stretch(order).phase, order);
  return [
    ['stretch', {}, () => true],
    ['turn', {}, (_, each) => isTurn(each)],
    ['actor', {}, (from, each) => each.actor === from.actor && each.worker === from.worker],
    ['worker', {}, (from, each) => each.worker === from.worker],
    ['worker', { worker: 1 }, (_, each) => each.worker === 1],
    ['output', {}, (_, { order }) => printing.has(order)],
    ['error', {}, (_, { order }) => failing.has(order)],
    ['error', { matching: 'Error: 1 of *' }, (_, { order }) => lost.has(order)],
    ...happening,
    ['snapshot', {}, (_, { order, phase }) => phase > first && begins.get(phase) === order],
    ['entry', {}, (_, { kind }) => kind === 'entry'],
    ['entry', { source: 'timer' }, (_, { kind }) => kind === 'entry'],
    ['entry', { source: 'device' }, () => false],
    ['match', { actor: 'actor 1*' }, (_, { actor }) => actor.startsWith('actor 1')],
    ['match', { actor: '*2', method: 'm' }, (_, { actor, kind }) => actor.endsWith('2') && kind !== 'entry'],
  ];
}

test('every move with directions goes to the nearest of its places, and back undoes forward', () => {
  const ids = new Set<string>();
  fc.assert(
    fc.property(surveys, (survey) => {
      const index = SurveyIndex.of(survey);
      const all = Array.from({ length: survey.count }, (_, i) => survey.stretch(i + 1));
      for (const [id, given, among] of nearest(survey)) {
        ids.add(id);
        for (const from of all) {
          const { order } = from;
          const places = all.filter((each) => among(from, each)).map((each) => each.order);
          const later = places.find((each) => each > order);
          const earlier = places.findLast((each) => each < order);
          const isOne = places.includes(order);
          expect([id, order, placeBy(index, id, order, { given })]).toEqual([id, order, later]);
          expect([id, order, placeBy(index, id, order, { given, direction: 'backward' })]).toEqual([
            id,
            order,
            earlier,
          ]);
          // In its midst its beginning is behind.
          const within = { place: order, isWithin: true };
          expect(placeBy(index, id, within, { given, direction: 'backward' })).toBe(isOne ? order : earlier);
          expect(placeBy(index, id, within, { given })).toBe(later);
          if (!isOne) continue;
          if (later !== undefined) expect(placeBy(index, id, later, { given, direction: 'backward' })).toBe(order);
          if (earlier !== undefined) expect(placeBy(index, id, earlier, { given })).toBe(order);
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

test('to a receiver and to the sender leads back, by whichever receiver', () => {
  let count = 0;
  fc.assert(
    fc.property(surveys, (survey) => {
      const index = SurveyIndex.of(survey);
      for (let order = 1; order <= survey.count; order++) {
        const { sender } = survey.stretch(order);
        expect(placeBy(index, 'sender', order)).toBe(sender);
        const receivers: number[] = [];
        for (let which = 1; ; which++) {
          const place = placeBy(index, 'receiver', order, { given: { which } });
          if (place === undefined) break;
          receivers.push(place);
          expect(place).toBeGreaterThan(order);
          expect(placeBy(index, 'sender', place)).toBe(order);
          count++;
        }
        expect(receivers).toEqual(receivers.toSorted((a, b) => a - b));
        if (sender !== undefined) expect([...index.receivers(sender)]).toContain(order);
        const answers = receivers.filter((each) => ['fulfil', 'reject'].includes(survey.stretch(each).kind));
        expect(answers.map((_, i) => placeBy(index, 'answer', order, { given: { which: i + 1 } }))).toEqual(answers);
        for (const each of answers) expect(placeBy(index, 'resolver', each)).toBe(order);
      }
    }),
    { numRuns: 20 },
  );
  // Some runs send little.
  expect(count).toBeGreaterThan(20);
});

test('an actor is born where it was made, and whoever sent for that has spawned it', () => {
  fc.assert(
    fc.property(surveys, (survey) => {
      const index = SurveyIndex.of(survey);
      for (let order = 1; order <= survey.count; order++) {
        const { actor, worker } = survey.stretch(order);
        const made = Array.from(survey.ofWorker(worker), (each) => survey.stretch(each)).find(
          (each) => each.actor === actor && each.kind === 'construct',
        );
        expect(placeBy(index, 'birth', order)).toBe(made?.order);
        expect(placeBy(index, 'spawner', order)).toBe(made?.sender);
      }
    }),
    { numRuns: 10 },
  );
});

test('positions are in the order in which things ran, and their texts mean them', () => {
  const within = fc.oneof(
    fc.constant({ list: 0, statement: 0 }),
    fc.record({ list: fc.integer({ min: 0, max: 999 }), statement: fc.integer({ min: 1, max: 99 }) }),
  );
  fc.assert(
    fc.property(surveys, fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), within)), (survey, some) => {
      const { phases, count } = SurveyIndex.of(survey);
      const positions = some.map(([part, its]) => ({ order: Math.min(count, 1 + Math.floor(part * count)), ...its }));
      const end = { order: count + 1, list: 0, statement: 0 };
      for (const position of [...positions, end]) {
        const text = positionText(position, phases);
        expect(positionOf(text, phases, count)).toEqual(position);
        const [phase] = text.split('.');
        if (position !== end) expect(Number(phase)).toBe(survey.stretch(position.order).phase);
        const { order, list, statement } = position;
        if (list === 0 && statement === 0) expect(positionOf(String(order), phases, count)).toEqual(position);
        else expect(positionOf(`${order}:${list}.${statement}`, phases, count)).toEqual(position);
      }
      const sorted = [...positions].sort(comparePositions);
      const key = ({ order, list, statement }: (typeof sorted)[number]): number =>
        (order * 1000 + list) * 100 + statement;
      expect(sorted.map(key)).toEqual(positions.map(key).toSorted((a, b) => a - b));
    }),
    { numRuns: 20 },
  );
});

test('texts that are no positions of a recording mean none', () => {
  const phases = [
    { phase: 2, begin: 1 },
    { phase: 3, begin: 11 },
  ];
  const none = [
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
  for (const text of none) expect([text, positionOf(text, phases, 20)]).toEqual([text, undefined]);
  expect(positionOf('3.11', phases, 20)).toEqual({ order: 21, list: 0, statement: 0 });
  expect(positionOf('2.10', phases, 20)).toEqual({ order: 10, list: 0, statement: 0 });
  expect(positionOf('3.1:4', phases, 20)).toEqual({ order: 11, list: 4, statement: 1 });
  expect(positionOf('0.1', [], 0)).toEqual({ order: 1, list: 0, statement: 0 });
});

test('places are gone to by part, by time, by turn and by position', () => {
  fc.assert(
    fc.property(surveys, (survey) => {
      const index = SurveyIndex.of(survey);
      const { count } = survey;
      expect(placeBy(index, 'start', count)).toBe(1);
      expect(placeBy(index, 'end', 1)).toBe(count + 1);
      expect(placeBy(index, 'stretch', count + 1, { direction: 'backward' })).toBe(count);
      expect(placeBy(index, 'percentage', 1, { given: { percentage: '100%' } })).toBe(count);
      expect(placeBy(index, 'percentage', 1, { given: { percentage: 0 } })).toBe(1);
      const begin = survey.stretch(1).time;
      for (let order = 1; order <= count; order++) {
        const { time, worker, turn } = survey.stretch(order);
        expect(placeBy(index, 'position', 1, { given: { position: order } })).toBe(order);
        const at = placeBy(index, 'time', 1, { given: { time: new Date(time).toISOString() } });
        expect(survey.stretch(at ?? 0).time).toBeLessThanOrEqual(time);
        if (turn !== undefined) expect(placeBy(index, 'nth', 1, { given: { worker, turn } })).toBe(order);
      }
      const after = placeBy(index, 'time', 1, { given: { time: '+0.5' } });
      expect(after).toBe(survey.atTime(begin + 500));
    }),
    { numRuns: 10 },
  );
});

test('arguments that are none are refused with what would be', () => {
  const index = SurveyIndex.of(surveyOf([{ what: 'run', thread: 0, sends: 0 }]));
  const refused: [id: string, given: GivenArguments, why: string][] = [
    ['turn', { actor: 'a' }, 'the move turn has no "actor"; it takes nothing'],
    ['receiver', { which: 0 }, 'which takes a number from 1 on, not 0'],
    ['receiver', { which: '1.5' }, 'which takes a number from 1 on, not "1.5"'],
    ['worker', { worker: '-1' }, 'worker takes the number of a worker, 0 for the main thread, not "-1"'],
    ['percentage', { percentage: 101 }, 'percentage takes a number from 0 to 100, not 101'],
    ['percentage', {}, 'the move percentage needs its percentage: from 0 to 100'],
    [
      'position',
      { position: '1.3' },
      'position takes a position that the recording has, such as 2.137, 2.137:45.2, 137 or 137:45.2, not "1.3"; it has 0.1 to 0.2, which is its end',
    ],
    ['match', { actor: '' }, 'actor takes a name, with * for anything in it, not ""'],
  ];
  for (const [id, given, why] of refused) expect(argumentsFor(moveOf(id), given, index)).toBe(why);
  expect(argumentsFor(moveOf('time'), { time: 'soon' }, index)).toMatch(/^time takes a time such as /);
});

test('a long search lets others in between', () => {
  const none = { place: 0, kind: () => 'call', count: 100_000 } as unknown as SurveyIndex;
  const search = landingOf(moveOf('entry'), {
    index: none,
    from: { place: 1, isWithin: false },
    direction: 'forward',
    its: new Map(),
  });
  const asked: number[] = [];
  for (let step = search.next(); step.done !== true; step = search.next()) asked.push(step.value);
  expect(asked.length).toBeGreaterThan(3);
  expect(asked).toEqual(asked.toSorted((a, b) => a - b));
});

test('names are like patterns, * standing for anything in them', () => {
  const other = { what: 'run', thread: 0, sends: 0, actor: 2 } as const;
  const index = SurveyIndex.of(surveyOf([{ what: 'run', thread: 0, sends: 0 }, other]));
  const found = (actor: string): number | undefined => placeBy(index, 'match', 1, { given: { actor } });
  for (const actor of ['actor 2 of 0', '*', 'actor*', '*0', 'act*2*0', '**2**'])
    expect([actor, found(actor)]).toEqual([actor, 2]);
  for (const actor of ['actor', '*3*', 'actor 2 of 0 0', 'a*2 of 0*0', 'actor 2 of 0?', 'Actor*'])
    expect([actor, found(actor)]).toEqual([actor, undefined]);
});
