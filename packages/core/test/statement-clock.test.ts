import { createContext, runInContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { StatementClock } from '@turntable/core';

type Program = { run(count: number): void; caught(count: number): number };

/** Statements of a program, each with its probe: `run` begins so many, `caught` catches what they throw. */
const PROBED = `({
  run(count) { for (let i = 0; i < count; i++) { --tt$c || tt$h('file', i, i * 10); } },
  caught(count) { let n = 0; for (let i = 0; i < count; i++) try { --tt$c || tt$h('file', i); } catch { n++; } return n; },
})`;

function clocked(): { clock: StatementClock; program: Program } {
  const context = createContext({});
  const clock = new StatementClock((text) => runInContext(text, context));
  return { clock, program: runInContext(PROBED, context) as Program };
}

describe('the clock of statements', () => {
  it('counts what has begun since the stretch began', () => {
    const { clock, program } = clocked();
    program.run(5);
    expect(clock.begun).toBe(5);
    clock.restart();
    expect(clock.begun).toBe(0);
    program.run(3);
    expect(clock.begun).toBe(3);
  });

  it('stops once before the statement asked for, with what is passed there', () => {
    const { clock, program } = clocked();
    const hits: unknown[] = [];
    program.run(2);
    clock.stopAt(4, (...hit) => hits.push(hit, clock.begun));
    program.run(5);
    expect(hits).toEqual([['file', 1, [10]], 4]);
    expect(clock.begun).toBe(7);
  });

  it('can be told the next stop at a stop', () => {
    const { clock, program } = clocked();
    const hits: number[] = [];
    const next = (): void => clock.stopAt(clock.begun + 2, () => void (hits.push(clock.begun), next()));
    next();
    program.run(7);
    expect(hits).toEqual([2, 4, 6]);
  });

  it('refuses a stop at what has begun, and counts on', () => {
    const { clock, program } = clocked();
    program.run(3);
    expect(() => clock.stopAt(3, () => {})).toThrow('Statement 3 of the stretch has begun: 3 have.');
    program.run(1);
    expect(clock.begun).toBe(4);
  });

  it('leaves no stop of one stretch to the next', () => {
    const { clock, program } = clocked();
    clock.stopAt(2, () => expect.unreachable());
    clock.restart();
    program.run(3);
    expect(clock.begun).toBe(3);
  });

  it('lets no statement begin in a stretch that is abandoned, whatever is caught', () => {
    const { clock, program } = clocked();
    const error = new Error('abandoned');
    clock.stopAt(2, () => clock.abandon(error));
    expect(() => program.run(5)).toThrow(error);
    expect(program.caught(4)).toBe(4);
    expect(clock.begun).toBe(2);
    clock.restart();
    expect(program.caught(4)).toBe(0);
  });

  it('does not count what is run apart, and goes on to the same stop', () => {
    const { clock, program } = clocked();
    const hits: number[] = [];
    clock.stopAt(5, () => hits.push(clock.begun));
    program.run(2);
    expect(clock.apart(() => (program.run(10), 'said'))).toBe('said');
    expect(() => clock.apart(() => (program.run(1), expect.fail('thrown')))).toThrow('thrown');
    expect([clock.begun, hits]).toEqual([2, []]);
    program.run(3);
    expect(hits).toEqual([5]);
  });

  it('counts what is run apart at no stop either', () => {
    const { clock, program } = clocked();
    clock.stopAt(2, () => clock.apart(() => program.run(4)));
    program.run(3);
    expect(clock.begun).toBe(3);
  });

  it('runs code apart in an abandoned stretch', () => {
    const { clock, program } = clocked();
    clock.stopAt(1, () => clock.abandon(new Error('abandoned')));
    expect(() => program.run(1)).toThrow('abandoned');
    expect(clock.apart(() => program.caught(3))).toBe(0);
    expect(program.caught(3)).toBe(3);
  });
});
