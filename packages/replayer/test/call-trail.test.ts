// Tests that statements of a task are found by their position, and no others.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CallTrail } from '../src/replay-process/call-trail.ts';

const started = (statement: number) => ({ file: 'a', statement, locals: [] });

it('finds each statement that has been added, and no other', () => {
  // Positions ascend within a task.
  const steps = fc.array(fc.tuple(fc.nat(2), fc.integer({ min: 1, max: 3 })), { maxLength: 30 });
  fc.assert(
    fc.property(steps, (all) => {
      const trail = new CallTrail();
      const added = new Map<string, object>();
      let [list, statement] = [0, 0];
      for (const [lists, statements] of all) {
        statement = lists === 0 ? statement + statements : statements;
        list += lists;
        const each = started(added.size);
        added.set(`${list} ${statement}`, each);
        trail.add(each, list, statement);
      }
      for (let inList = 0; inList <= list + 1; inList++)
        for (let at = 0; at <= 95; at++) expect(trail.find(inList, at)).toBe(added.get(`${inList} ${at}`));
    }),
    { numRuns: 50 },
  );
});

it('is empty after it is cleared', () => {
  const trail = new CallTrail();
  trail.add(started(1), 0, 1);
  trail.clear();
  expect(trail.find(0, 1)).toBeUndefined();
  const other = started(2);
  trail.add(other, 0, 2);
  expect([trail.find(0, 1), trail.find(0, 2)]).toEqual([undefined, other]);
});

it('keeps the latest 500,000 statements', () => {
  const trail = new CallTrail();
  const each = started(0);
  for (let i = 0; i < 500_002; i++) trail.add(each, 0, i);
  expect([0, 1, 2, 3, 499_999, 500_000, 500_001, 500_002].map((i) => trail.find(0, i) === each)).toEqual([
    false,
    false,
    true,
    true,
    true,
    true,
    true,
    false,
  ]);
});
