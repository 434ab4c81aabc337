// Suggestions for mistyped names.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closestName, closestNames } from '@turntable/loader/closest-name';

/** Optimal string alignment distance, by its recursive definition. */
function distance(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const [restA, restB] = [a.slice(1), b.slice(1)];
  const isExchanged = a.length > 1 && b.length > 1 && a[0] === b[1] && a[1] === b[0];
  return Math.min(
    distance(restA, restB) + (a[0] === b[0] ? 0 : 1),
    distance(restA, b) + 1,
    distance(a, restB) + 1,
    isExchanged ? distance(a.slice(2), b.slice(2)) + 1 : Infinity,
  );
}

describe('a mistyped name', () => {
  it.each([
    ['snapshot', ['snapshots', 'keep'], 'snapshots'],
    ['SNAPSHOTS', ['keep', 'snapshots'], 'snapshots'],
    ['snaphsots', ['keep', 'Snapshots'], 'Snapshots'],
    ['snaphsto', ['keep', 'snapshots'], undefined],
    ['kep', ['keep'], 'keep'],
    ['kp', ['keep'], undefined],
    ['kepp', ['keep', 'kept'], 'keep'],
    ['keex', ['keep'], 'keep'],
    ['kexx', ['keep'], undefined],
    ['xkexp', ['keep'], 'keep'],
    ['keeping', ['keep'], undefined],
    ['rec', ['recordings', 'trace'], 'recordings'],
    ['REC', ['Recordings'], 'Recordings'],
    ['rec', ['recordings', 'records'], undefined],
    ['re', ['recordings'], undefined],
    ['cordings', ['recordings'], 'recordings'],
    ['', ['a'], 'a'],
    ['x', [], undefined],
    ['ac', ['ab', 'ad'], 'ab'],
  ])('%j among %j suggests %j', (mistyped, names, suggestion) => {
    expect(closestName(mistyped, names)).toBe(suggestion);
  });

  it('has the closest names in the order of their distances', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 });
    fc.assert(
      fc.property(word, fc.uniqueArray(word, { minLength: 1, maxLength: 5 }), fc.nat(6), (mistyped, names, count) => {
        const sorted = names.toSorted((a, b) => distance(mistyped, a) - distance(mistyped, b));
        expect(closestNames(mistyped.toUpperCase(), names, count)).toEqual(sorted.slice(0, count));
      }),
      { numRuns: 300 },
    );
  });
});
