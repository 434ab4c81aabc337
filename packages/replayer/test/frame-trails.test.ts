// Statements of one call of an async function, across the tasks in which it runs.
import { Frame } from '@turntable/core';
import { expect, it } from 'vitest';
import { FrameTrails, type PositionedStatement } from '../src/replay-process/frame-trails.ts';

function statementAt(...position: PositionedStatement['position']): PositionedStatement {
  return { file: 'f.ts', statement: position[2], locals: [], position };
}

let lastName = 0;

/** Runs statements of a call, which begins or resumes at the first one. */
function run(trails: FrameTrails, frame: Frame, ...positions: PositionedStatement['position'][]): void {
  const name = ++lastName;
  for (const position of positions) trails.addStatement({ frame, name }, statementAt(...position));
}

it('a resumed call has its own earlier statements, not those of other calls of the function', () => {
  const trails = new FrameTrails();
  const [one, other] = [new Frame(() => {}), new Frame(() => {})];
  trails.startTask();
  run(trails, one, [1, 1, 1], [1, 1, 2]);
  run(trails, other, [1, 2, 1]);
  trails.startTask();
  run(trails, one, [2, 1, 1], [2, 1, 2]);
  run(trails, other, [2, 2, 1]);
  const before = (list: number): unknown[] => trails.statementsBefore(list, 1, 2).map(({ position }) => position);
  expect(before(1)).toEqual([
    [1, 1, 1],
    [1, 1, 2],
  ]);
  expect(before(2)).toEqual([[1, 2, 1]]);
  expect(before(3)).toEqual([]);
});
