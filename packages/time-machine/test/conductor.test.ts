// Steps inside stretches, of runs that never were: trees of calls as chance has them, told statement by statement. Back undoes forward, over and out do what calls and returns say, and a
// search back for a breakpoint finds the last that a search forward finds.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import {
  comparePositions,
  Survey,
  SurveyIndex,
  type Direction,
  type RecordedEngine,
  type Hit,
  type Position,
} from '@turntable/time-machine';
import { NOBODY, NotesWriter } from '@turntable/time-machine/notes';
import type { BreakPlace, StatementPlace, TracedEvent, TracedStretch } from '@turntable/time-machine/replay-process';
import type { Breakpoint, BreakpointWish } from '../src/conductor/breakpoints.ts';
import type { Later } from '../src/conductor/ahead.ts';
import { Conductor } from '../src/conductor/conductor.ts';
import { Traced } from '../src/conductor/traced.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** A function's statements: a line each, and what it calls on it. */
interface Call {
  readonly statements: readonly (Call | undefined)[];
}

const { call } = fc.letrec<{ call: Call; statement: Call | undefined }>((tie) => ({
  call: fc.record({ statements: fc.array(tie('statement'), { minLength: 1, maxLength: 4 }) }),
  statement: fc.option(tie('call'), { nil: undefined, maxDepth: 4, depthSize: 'small' }),
}));
const stretches = fc.array(fc.option(call, { nil: undefined, freq: 4 }), { minLength: 1, maxLength: 6 });

interface Said {
  readonly position: Position;
  readonly line: number;
  readonly depth: number;
  /** The very call. */
  readonly of: Call;
}

/** What happens in the course of a statement: where its line is a multiple of 3 something does, of 5 something else. */
function happeningsOf({ line }: Said): string[] {
  return [...(line % 3 === 0 ? ['GET /a'] : []), ...(line % 5 === 0 ? ['POST /a'] : [])];
}

/** As a clock of statements and the stack would tell of it: a list is a function's. */
function said(order: number, root: Call | undefined): Said[] {
  const all: Said[] = [];
  // As behind an await: no list is entered before the first statement.
  let lists = order % 2 === 0 ? -1 : 0;
  const run = (its: Call, depth: number): void => {
    const { statements } = its;
    const line = depth * 10;
    let list = ++lists;
    statements.forEach((called, i) => {
      // Behind a call other lists were entered: the statement is the first of a list of its own there, as at a branch.
      if (list !== lists) list = ++lists;
      const own = all.filter(({ position }) => position.list === list).length;
      all.push({ position: { order, list, statement: own + 1 }, line: line + i, depth, of: its });
      if (called !== undefined) run(called, depth + 1);
    });
  };
  if (root !== undefined) run(root, 1);
  return all;
}

interface Made {
  readonly conductor: Conductor;
  readonly index: SurveyIndex;
  /** In order. */
  readonly all: readonly Said[];
  readonly perStretch: readonly (readonly Said[])[];
  /** Stretches whose statements were asked for. */
  readonly noted: (readonly [from: number, to: number])[];
  /** Where a process was sent to stand. */
  readonly stood: Position[];
}

function placeAt(line: number): StatementPlace {
  // A function for each depth.
  const ordinal = Math.floor(line / 10);
  const about = { function: 'f', ordinal, first: ordinal * 10, kind: 'statement', code: 'c', number: line };
  return { file: 'file:///p/a.ts', line, column: 1, endLine: line, endColumn: 9, ...about };
}

/** Searches that were begun. */
let searches = 0;

/** Stretches of one thread, and engines that know them by heart. `holds`: of an expression, by the position. */
function made(
  roots: readonly (Call | undefined)[],
  holds: (position: Position) => boolean = () => true,
  later?: Later,
): Made {
  const noted: [number, number][] = [];
  const stood: Position[] = [];
  const into = mkdtempSync(join(directory, 'run-'));
  const notes = new NotesWriter(join(into, '0.0.tsv'), { worker: 0, life: 0, phase: 0 });
  const perStretch = roots.map((root, i) => said(i + 1, root));
  const about = { kind: 'entry', actor: 'a', method: 'timer', place: '', turn: 0, event: 1, time: 1 } as const;
  for (const those of perStretch) {
    for (const text of new Set(those.flatMap(happeningsOf))) notes.text('device', text);
    notes.stretch({ ...about, sender: NOBODY, senderLife: 0, number: 1 }, those.at(-1)?.position.list ?? 0, 0);
  }
  notes.end('ended', 0, 0);
  const index = SurveyIndex.of(Survey.read(into));
  rmSync(into, { recursive: true });
  let at: Position = { order: 1, list: 0, statement: 0 };
  const engine = {
    get stop() {
      return { position: at, worker: 0, life: 0, place: undefined };
    },
    to: (position: Position) => {
      stood.push(position);
      return Promise.resolve((at = position));
    },
    frames: () => Promise.resolve([]),
    search: (places: readonly BreakPlace[], from: Position) => {
      let upTo = from;
      searches++;
      return {
        position: from,
        upTo: (position: Position): Promise<Hit[]> => {
          const passed = perStretch
            .flat()
            .filter(
              (each) => comparePositions(each.position, upTo) >= 0 && comparePositions(each.position, position) < 0,
            );
          upTo = position;
          const hits = passed.flatMap((each) =>
            places.flatMap(({ line, condition, log }, place) => {
              if (line !== each.line || (condition !== undefined && !holds(each.position))) return [];
              const error = condition === 'throws' ? 'Error' : undefined;
              return [{ position: each.position, place, log: log && `${log} ${each.line}`, error }];
            }),
          );
          return Promise.resolve(hits);
        },
        close: () => {},
      };
    },
    trace: async (from: number, to: number): Promise<TracedStretch[]> => {
      noted.push([from, to]);
      await setImmediate();
      return perStretch.slice(from - 1, to).map((those) => {
        const places = those.map(({ line }) => placeAt(line));
        const statements = those.flatMap(({ position, depth }, i) => [position.list, position.statement, i, depth]);
        const happenings = those.flatMap((each, i): TracedEvent[] =>
          happeningsOf(each).map((text) => [i, 'device', text]),
        );
        return { places, statements, isCut: false, sends: [], happenings };
      });
    },
  } as unknown as RecordedEngine;
  return {
    conductor: new Conductor(index, { standing: engine, scout: engine }, later),
    index,
    all: perStretch.flat(),
    perStretch,
    noted,
    stood,
  };
}

const waiting = { signal: new AbortController().signal, progress: () => {} };
const step = (from: Position, direction: Direction): { from: Position; direction: Direction } => ({ from, direction });
const runs = { numRuns: 60 };

test('statement by statement it goes through all of them in order, and back through the same', async () => {
  await fc.assert(
    fc.asyncProperty(stretches, async (roots) => {
      const { conductor, all, index } = made(roots);
      const there: Position[] = [];
      let at: Position | undefined = { order: 1, list: 0, statement: 0 };
      while ((at = await conductor.statement(step(at, 'forward'), waiting)) !== undefined) there.push(at);
      expect(there).toEqual(all.map(({ position }) => position));
      expect(there).toEqual(there.toSorted(comparePositions));
      const back: Position[] = [];
      at = { order: index.count + 1, list: 0, statement: 0 };
      while ((at = await conductor.statement(step(at, 'backward'), waiting)) !== undefined) back.push(at);
      expect(back.toReversed()).toEqual(there);
    }),
    runs,
  );
});

test('over a call comes to what is no deeper, out of it to who has called, and back the same way', async () => {
  await fc.assert(
    fc.asyncProperty(stretches, async (roots) => {
      const { conductor, perStretch } = made(roots);
      for (const those of perStretch)
        for (const [i, { position, depth }] of those.entries()) {
          const go = async (how: 'over' | 'out', direction: Direction): Promise<number> => {
            const found = await conductor[how](step(position, direction), waiting);
            return those.findIndex((each) => found !== undefined && comparePositions(each.position, found) === 0);
          };
          const over = those.findIndex((each, j) => j > i && each.depth <= depth);
          const out = those.findIndex((each, j) => j > i && each.depth < depth);
          expect(await go('over', 'forward')).toBe(over);
          expect(await go('out', 'forward')).toBe(out);
          expect(await go('over', 'backward')).toBe(those.findLastIndex((each, j) => j < i && each.depth <= depth));
          expect(await go('out', 'backward')).toBe(those.findLastIndex((each, j) => j < i && each.depth < depth));
          if (over === -1 || those[over]?.depth !== depth) continue;
          const next = (those[over] as Said).position;
          expect(await conductor.over(step(next, 'backward'), waiting)).toEqual(position);
        }
    }),
    runs,
  );
});

test('of a statement it is known which of the same call come before it, and where that was called', () => {
  fc.assert(
    fc.property(call, (root) => {
      const those = said(1, structuredClone(root));
      const places = those.map(({ line }) => placeAt(line));
      const statements = those.flatMap(({ position, depth }, i) => [position.list, position.statement, i, depth]);
      const traced = new Traced(1, { places, statements, isCut: false, sends: [] });
      for (const [i, each] of those.entries()) {
        const before = those.flatMap(({ of }, at) => (at < i && of === each.of ? [at] : []));
        expect(traced.earlierInCall(i)).toEqual(before);
        expect(traced.callerOf(i)).toBe(those.findLastIndex(({ depth }, at) => at < i && depth < each.depth));
      }
    }),
    runs,
  );
});

test('at the end of a stretch a step leads to the worker’s next one, and back to where it was about to be over', async () => {
  const { conductor, perStretch, index } = made([
    { statements: [{ statements: [undefined] }, undefined] },
    undefined,
    { statements: [undefined] },
  ]);
  const beginning = (order: number): Position => ({ order, list: 0, statement: 0 });
  const last = perStretch[0]?.at(-1)?.position ?? beginning(0);
  expect(await conductor.over(step(last, 'forward'), waiting)).toEqual(beginning(2));
  expect(await conductor.over(step(beginning(2), 'forward'), waiting)).toEqual(beginning(3));
  expect(await conductor.over(step(beginning(3), 'forward'), waiting)).toEqual(perStretch[2]?.[0]?.position);
  expect(await conductor.over(step(beginning(3), 'backward'), waiting)).toEqual(beginning(2));
  expect(await conductor.over(step(beginning(2), 'backward'), waiting)).toEqual(last);
  expect(await conductor.out(step(last, 'backward'), waiting)).toEqual(beginning(1));
  expect(await conductor.over(step(beginning(1), 'backward'), waiting)).toBeUndefined();
  const end = beginning(index.count + 1);
  expect(await conductor.over(step(perStretch[2]?.[0]?.position ?? beginning(0), 'forward'), waiting)).toEqual(end);
  expect(await conductor.over(step(end, 'backward'), waiting)).toEqual(perStretch[2]?.[0]?.position);
});

test('what whoever goes on asks for next is there before, as soon as engines have been somewhere', async () => {
  let prepare: (() => void) | undefined;
  const later: Later = (run) => {
    prepare = run;
    return () => void (prepare = undefined);
  };
  const roots = Array.from({ length: 6 }, () => ({ statements: [undefined] }));
  const { conductor, perStretch, noted, stood } = made(roots, undefined, later);
  const beginning = (order: number): Position => ({ order, list: 0, statement: 0 });
  const goTo = (position: Position): void => {
    conductor.goes(position);
    prepare?.();
  };
  goTo(beginning(3));
  expect([noted, stood]).toEqual([[], []]);
  await conductor.frames(beginning(3), waiting.signal);
  goTo(beginning(4));
  await conductor.over(step(beginning(4), 'forward'), waiting);
  expect(stood).toEqual([beginning(3), beginning(4)]);
  expect(noted).toEqual([[4, 4]]);
  goTo(perStretch[3]?.[0]?.position ?? beginning(0));
  // Who asks while that is made waits for it.
  await conductor.over(step(beginning(5), 'forward'), waiting);
  expect(noted).toEqual([
    [4, 4],
    [5, 5],
  ]);
});

test('to what happens it goes statement by statement, and back through the same', async () => {
  await fc.assert(
    fc.asyncProperty(stretches, fc.constantFrom('GET *', '*'), async (roots, matching) => {
      const { conductor, all, index } = made(roots);
      const isMeant = (text: string): boolean => matching === '*' || text.startsWith('GET');
      const meant = { stretches: index.markedWith(isMeant, 'device'), kinds: ['device'], isMeant };
      const go = (from: Position, direction: Direction): Promise<Position | undefined> =>
        conductor.happening(step(from, direction), meant, waiting);
      const wanted = all.filter((each) => happeningsOf(each).some(isMeant)).map(({ position }) => position);
      const there: Position[] = [];
      let at: Position | undefined = { order: 1, list: 0, statement: 0 };
      while ((at = await go(at, 'forward')) !== undefined) there.push(at);
      expect(there).toEqual(wanted);
      const back: Position[] = [];
      at = { order: index.count + 1, list: 0, statement: 0 };
      while ((at = await go(at, 'backward')) !== undefined) back.push(at);
      expect(back.toReversed()).toEqual(there);
    }),
    runs,
  );
});

test('a search back for a breakpoint finds what the search forward finds, with conditions too', async () => {
  await fc.assert(
    fc.asyncProperty(stretches, fc.nat(3), fc.boolean(), async (roots, i, isOdd) => {
      const holds = ({ list }: Position): boolean => list % 2 === (isOdd ? 1 : 0);
      const { conductor, all, index } = made(roots, holds);
      conductor.addBreakpoint({ file: 'a.ts', line: 20 + i });
      conductor.addBreakpoint({ file: 'a.ts', line: 20 + i });
      conductor.addBreakpoint({ file: 'a.ts', line: 11, condition: 'x' });
      conductor.addBreakpoint({ file: 'a.ts', line: 12, condition: 'throws' });
      conductor.addBreakpoint({ file: 'a.ts', line: 10, times: 2 });
      const second = all.filter(({ line }) => line === 10)[1];
      const wanted = all.filter(
        (each) => each.line === 20 + i || (each.line === 11 && holds(each.position)) || each === second,
      );
      const there: Position[] = [];
      let at: Position | undefined = { order: 1, list: 0, statement: 0 };
      while ((at = await conductor.breakpoint(step(at, 'forward'), waiting)) !== undefined) there.push(at);
      expect(there).toEqual(wanted.map(({ position }) => position));
      const back: Position[] = [];
      at = { order: index.count + 1, list: 0, statement: 0 };
      while ((at = await conductor.breakpoint(step(at, 'backward'), waiting)) !== undefined) back.push(at);
      expect(back.toReversed()).toEqual(there);
    }),
    runs,
  );
});

test('breakpoints are searched for once, and anew where there is another one', async () => {
  const { conductor, all, index } = made(Array.from({ length: 700 }, () => ({ statements: [undefined] })));
  const end = { order: index.count + 1, list: 0, statement: 0 };
  const before = searches;
  const { id } = conductor.addBreakpoint({ file: 'a.ts', line: 10 }) as Breakpoint;
  expect(await conductor.breakpoint(step(all[2]?.position ?? end, 'backward'), waiting)).toEqual(all[1]?.position);
  expect(await conductor.breakpoint(step(all[2]?.position ?? end, 'forward'), waiting)).toEqual(all[3]?.position);
  expect(await conductor.breakpoint(step(end, 'backward'), waiting)).toEqual(all.at(-1)?.position);
  expect(await conductor.breakpoint(step(end, 'forward'), waiting)).toBeUndefined();
  expect(searches).toBe(before + 1);
  expect(conductor.removeBreakpoint(id)).toBe(true);
  expect(await conductor.breakpoint(step(end, 'backward'), waiting)).toBeUndefined();
  conductor.addBreakpoint({ file: 'a.ts', line: 99 });
  expect(await conductor.breakpoint(step(end, 'backward'), waiting)).toBeUndefined();
  expect(searches).toBe(before + 2);
});

test('a breakpoint that could not be is refused with what would be', () => {
  const { conductor } = made([undefined]);
  const refused: [wish: BreakpointWish, why: RegExp][] = [
    [{}, /needs a file and a line, or a kind/],
    [{ file: 'a.ts' }, /needs a file and a line/],
    [{ file: 'a.ts', line: 1, kind: 'sent' }, /not both/],
    [{ file: 'a.ts', line: 1, matching: 'x' }, /a condition can be given/],
    [{ kind: 'send' }, /^there is no kind "send" of breakpoints; there are sent, received, /],
    [{ kind: 'awaited', matching: 'x' }, /tell nothing that could be like "x"/],
    [{ kind: 'request', condition: 'x' }, /before the first statement/],
  ];
  for (const [wish, why] of refused) expect(conductor.addBreakpoint(wish)).toMatch(why);
  expect(conductor.addBreakpoint({ kind: 'sent', matching: 'Cart*.add', condition: 'x', times: 2 })).toMatchObject({
    id: 1,
  });
});

test('an expression is told of a line some times at a time, and of each time once', async () => {
  await fc.assert(
    fc.asyncProperty(stretches, fc.integer({ min: 1, max: 4 }), async (roots, count) => {
      const { conductor, all } = made(roots);
      const told: Position[] = [];
      let from: number | undefined = 1;
      for (let asked = 0; from !== undefined && asked < 99; asked++) {
        const { hits, next } = await conductor.log({ file: 'a.ts', line: 10, log: 'x', from, count }, waiting);
        expect(hits.length).toBeLessThanOrEqual(count);
        told.push(...hits.map(({ position }) => position));
        from = next;
      }
      const wanted = all.filter(({ line }) => line === 10).map(({ position }) => position);
      // Of one stretch no more than were asked for.
      const most = wanted.filter(({ order }, i) => wanted.findIndex((each) => each.order === order) + count > i);
      expect(told).toEqual(most);
    }),
    runs,
  );
});

test('a position has its place in the source, if there is such a statement', async () => {
  const { conductor, all } = made([{ statements: [{ statements: [undefined] }, undefined] }]);
  const { signal } = waiting;
  for (const { position, line } of all) expect((await conductor.placeOf(position, signal))?.line).toBe(line);
  expect(await conductor.placeOf({ order: 1, list: 0, statement: 0 }, signal)).toBeUndefined();
  expect(await conductor.placeOf({ order: 1, list: 1, statement: 7 }, signal)).toBeUndefined();
  expect(await conductor.placeOf({ order: 1, list: 99, statement: 1 }, signal)).toBeUndefined();
  expect(await conductor.placeOf({ order: 2, list: 1, statement: 1 }, signal)).toBeUndefined();
});
