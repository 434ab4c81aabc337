import type { TapeValue } from '@turntable/core';
import { Redaction } from '@turntable/recording/packed';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FORM } from '../../src/membrane/crossing.ts';
import type { BaseMembrane } from '../../src/membrane/membrane.ts';
import { Diverged, record, replay, staticsOf, type TapeEvent } from './tapes.ts';

/** By its name: what it answers is the caller's alone. */
const ALL = 'sqlite.StatementSync.prototype.all';
type All = () => unknown[];

const value = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.double(),
  fc.constant(null),
  fc.bigInt(),
  fc.uint8Array({ maxLength: 9 }),
);
const table = fc
  .uniqueArray(fc.string(), { minLength: 1, maxLength: 5 })
  .chain((names) =>
    fc
      .array(fc.tuple(...names.map(() => value)), { maxLength: 6 })
      .map((rows) => rows.map((row) => rowOf(names.map((name, i) => [name, row[i]])))),
  );

function rowOf(entries: readonly (readonly [string, unknown])[]): object {
  const row = Object.create(null) as object;
  for (const [name, each] of entries)
    Object.defineProperty(row, name, { value: each, writable: true, enumerable: true, configurable: true });
  return row;
}

/** What the program says of an answer, and what the trace says of it. */
function recorded(answer: () => unknown[], say: (rows: unknown[]) => void): TapeEvent[] {
  const real = { [ALL]: answer };
  return record(staticsOf(real), (membrane) => say((membrane.handleOf(answer) as All)()));
}

function again(events: readonly TapeEvent[], say: (rows: unknown[]) => void): number {
  const answer: All = () => {
    throw new Error('asked again');
  };
  const program = (membrane: BaseMembrane): void => say((membrane.handleOf(answer) as All)());
  return replay(staticsOf({ [ALL]: answer }), events, program);
}

it('answers records that are alike again, whatever they hold', () => {
  fc.assert(
    fc.property(table, (rows) => {
      const seen: unknown[] = [];
      const events = recorded(
        () => rows,
        (had) => seen.push(had),
      );
      expect(again(events, (had) => seen.push(had))).toBe(0);
      const [first, second] = seen as [object[], object[]];
      expect(second).toStrictEqual(first.map((row) => row));
      for (const [i, row] of second.entries()) expect(Object.keys(row)).toEqual(Object.keys(first[i] as object));
    }),
  );
});

it('tells of columns by their names, so that a redaction finds what is in them', () => {
  const events = recorded(
    () => [
      { id: 1, password: 'hunter-two' },
      { id: 2, password: 'letmein-please' },
    ],
    () => {},
  );
  const redaction = new Redaction(['password']);
  for (const { value } of events) redaction.learn(value);
  const text = JSON.stringify(events.map(({ value }) => redaction.value(value)));
  expect(text).not.toMatch(/hunter|letmein/);
});

it('says so of records that are not whole', () => {
  const events = recorded(
    () => [{ a: 1, b: 2 }],
    () => {},
  );
  const broken: readonly TapeValue[][] = [
    [FORM.rows, true, 2, 'a', [1]],
    [FORM.rows, true, 1, 'a', [1], 'b', 3],
    [FORM.rows, true, 1e9],
    [FORM.rows, true, 1, 'a', [1], 'b', []],
  ];
  for (const rows of broken) {
    const changed = events.map((event) => {
      const [silent, what] = event.value as readonly TapeValue[];
      return { ...event, value: [silent, what, rows] };
    });
    expect(() => again(changed, () => {})).toThrow(Diverged);
  }
});

/** By its name: so is each step of what it answers. */
const ITERATE = 'sqlite.StatementSync.prototype.iterate';

interface Steps {
  next(): { readonly done: boolean; readonly value?: unknown };
}

function stepsOf(rows: readonly unknown[]): Steps {
  let at = 0;
  return { next: () => (at < rows.length ? { done: false, value: rows[at++] } : { done: true, value: undefined }) };
}

it('answers them again one by one, and copies none', () => {
  fc.assert(
    fc.property(table, (rows) => {
      const seen: unknown[][] = [[], []];
      const walk = (into: unknown[], iterate: () => Steps) => (membrane: BaseMembrane) => {
        const steps = membrane.handleOf(iterate)();
        for (let step = steps.next(); !step.done; step = steps.next()) into.push(step.value);
      };
      const real = (): Steps => stepsOf(rows);
      const events = record(staticsOf({ [ITERATE]: real }), walk(seen[0] as unknown[], real));
      expect(seen[0]?.every((row, i) => row === rows[i])).toBe(true);
      const none = (): Steps => {
        throw new Error('asked again');
      };
      expect(replay(staticsOf({ [ITERATE]: none }), events, walk(seen[1] as unknown[], none))).toBe(0);
      expect(seen[1]).toStrictEqual(rows);
    }),
    { numRuns: 50 },
  );
});
