import type { TapeValue } from '@turntable/core';
import { Redaction } from '@turntable/recording/redaction';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { VALUE_FORM } from '../../src/membrane/encoding.ts';
import type { BaseMembrane } from '../../src/membrane/base-membrane.ts';
import { DivergenceError, record, replay, staticsOf, type TapeEvent } from './tapes.ts';

/** A path whose results belong to the caller alone. */
const ALL_METHOD = 'sqlite.StatementSync.prototype.all';
type AllFunction = () => unknown[];

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

/** Records the program's text of a result, and compares it with the replay's. */
function recordRows(answer: () => unknown[], onRows: (rows: unknown[]) => void): TapeEvent[] {
  const hostObjects = { [ALL_METHOD]: answer };
  return record(staticsOf(hostObjects), (membrane) => onRows((membrane.proxyFor(answer) as AllFunction)()));
}

function replayRows(events: readonly TapeEvent[], onRows: (rows: unknown[]) => void): number {
  const answer: AllFunction = () => {
    throw new Error('asked again');
  };
  const program = (membrane: BaseMembrane): void => onRows((membrane.proxyFor(answer) as AllFunction)());
  return replay(staticsOf({ [ALL_METHOD]: answer }), events, program);
}

it('replays records with equal keys and any values', () => {
  fc.assert(
    fc.property(table, (rows) => {
      const seenByRun: unknown[] = [];
      const events = recordRows(
        () => rows,
        (seenRows) => seenByRun.push(seenRows),
      );
      expect(replayRows(events, (seenRows) => seenByRun.push(seenRows))).toBe(0);
      const [first, second] = seenByRun as [object[], object[]];
      expect(second).toStrictEqual(first.map((row) => row));
      for (const [i, row] of second.entries()) expect(Object.keys(row)).toEqual(Object.keys(first[i] as object));
    }),
  );
});

it('encodes columns by name, so that a redaction finds their values', () => {
  const events = recordRows(
    () => [
      { id: 1, password: 'hunter-two' },
      { id: 2, password: 'letmein-please' },
    ],
    () => {},
  );
  const redaction = new Redaction(['password']);
  for (const { value } of events) redaction.learn(value);
  const text = JSON.stringify(events.map(({ value }) => redaction.redactValue(value)));
  expect(text).not.toMatch(/hunter|letmein/);
});

it('reports incomplete rows', () => {
  const events = recordRows(
    () => [{ a: 1, b: 2 }],
    () => {},
  );
  const brokenRows: readonly TapeValue[][] = [
    [VALUE_FORM.rows, true, 2, 'a', [1]],
    [VALUE_FORM.rows, true, 1, 'a', [1], 'b', 3],
    [VALUE_FORM.rows, true, 1e9],
    [VALUE_FORM.rows, true, 1, 'a', [1], 'b', []],
  ];
  for (const rows of brokenRows) {
    const brokenEvents = events.map((event) => {
      const [silent, what] = event.value as readonly TapeValue[];
      return { ...event, value: [silent, what, rows] };
    });
    expect(() => replayRows(brokenEvents, () => {})).toThrow(DivergenceError);
  }
});

/** A path whose iterator yields results that belong to the caller alone. */
const ITERATE_METHOD = 'sqlite.StatementSync.prototype.iterate';

interface RowIterator {
  next(): { readonly done: boolean; readonly value?: unknown };
}

function iterateRows(rows: readonly unknown[]): RowIterator {
  let at = 0;
  return { next: () => (at < rows.length ? { done: false, value: rows[at++] } : { done: true, value: undefined }) };
}

it('replays the steps of an iterator without copying rows', () => {
  fc.assert(
    fc.property(table, (rows) => {
      const seenByRun: unknown[][] = [[], []];
      const iterateInto = (into: unknown[], iterate: () => RowIterator) => (membrane: BaseMembrane) => {
        const steps = membrane.proxyFor(iterate)();
        for (let step = steps.next(); !step.done; step = steps.next()) into.push(step.value);
      };
      const real = (): RowIterator => iterateRows(rows);
      const events = record(staticsOf({ [ITERATE_METHOD]: real }), iterateInto(seenByRun[0] as unknown[], real));
      expect(seenByRun[0]?.every((row, i) => row === rows[i])).toBe(true);
      const failingIterate = (): RowIterator => {
        throw new Error('asked again');
      };
      expect(
        replay(
          staticsOf({ [ITERATE_METHOD]: failingIterate }),
          events,
          iterateInto(seenByRun[1] as unknown[], failingIterate),
        ),
      ).toBe(0);
      expect(seenByRun[1]).toStrictEqual(rows);
    }),
    { numRuns: 50 },
  );
});
