import { createContext, runInContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { StatementClock, type StatementPosition } from '@turntable/core';

type Program = { run(count: number): void; caught(count: number): number };

/** Each turn of `run` enters a list of three statements; `caught` catches their errors. */
const PROBED = `({
  run(count) {
    for (let i = 0; i < count; i++) {
      --tt$c || tt$h('file', 0, i);
      tt$s && tt$h('file', 1, i);
      tt$s && tt$h('file', 2, i);
    }
  },
  caught(count) {
    let n = 0;
    for (let i = 0; i < count; i++) {
      try { --tt$c || tt$h('file', 3); } catch { n++; }
      try { tt$s && tt$h('file', 4); } catch { n++; }
    }
    return n;
  },
})`;

function clocked(): { clock: StatementClock; program: Program } {
  const context = createContext({});
  const clock = new StatementClock((text) => runInContext(text, context));
  return { clock, program: runInContext(PROBED, context) as Program };
}

const at = (list: number, statement: number): StatementPosition => ({ list, statement });

describe('the statement clock', () => {
  it('counts the lists entered since the task started', () => {
    const { clock, program } = clocked();
    expect(clock.position).toEqual(at(0, 0));
    program.run(5);
    expect(clock.listsEntered).toBe(5);
    clock.restart();
    expect(clock.position).toEqual(at(0, 0));
    program.run(3);
    expect(clock.listsEntered).toBe(3);
  });

  it.each([1, 2, 3])('stops once before statement %i of a list, with its live variables', (statement) => {
    const { clock, program } = clocked();
    const hits: unknown[] = [];
    program.run(2);
    clock.stopAt(at(4, statement), (...hit) => hits.push(...hit, clock.position));
    program.run(5);
    expect(hits).toEqual(['file', statement - 1, [1], at(4, statement)]);
    expect(clock.listsEntered).toBe(7);
  });

  it('stops at the next statement if the list has no more', () => {
    const { clock, program } = clocked();
    const hits: unknown[] = [];
    clock.stopAt(at(2, 4), () => hits.push(clock.position));
    program.run(4);
    expect(hits).toEqual([at(3, 1)]);
  });

  it('stops at each next statement', () => {
    const { clock, program } = clocked();
    const hits: string[] = [];
    const next = (): void =>
      clock.stopNext(() => {
        hits.push(`${clock.position?.list}.${clock.position?.statement}`);
        next();
      });
    next();
    program.run(2);
    expect(hits).toEqual(['1.1', '1.2', '1.3', '2.1', '2.2', '2.3']);
  });

  it('refuses a stop at a passed or uncounted statement, and continues', () => {
    const { clock, program } = clocked();
    program.run(3);
    expect(() => clock.stopAt(at(3, 9), () => {})).toThrow('statement 3.9 has been passed: the task is in list 3');
    clock.stopAt(at(4, 2), () => {
      expect(() => clock.stopAt(at(4, 2), () => {})).toThrow('passed: the task is at 4.2');
      clock.stopAt(at(4, 3), () => {});
    });
    program.run(2);
    expect(clock.listsEntered).toBe(5);
    expect(clock.position).toBeUndefined();
  });

  it('has a position only where statements are counted', () => {
    const { clock, program } = clocked();
    const positions: unknown[] = [];
    clock.stopAt(at(1, 2), () => clock.stopAt(at(2, 1), () => positions.push(clock.position)));
    program.run(1);
    positions.push(clock.position);
    expect(() => clock.stopNext(() => {})).toThrow('the position is known only at a stop');
    program.run(1);
    expect(positions).toEqual([undefined, at(2, 1)]);
  });

  it('drops the stops of a task when the next one starts', () => {
    const { clock, program } = clocked();
    clock.stopAt(at(2, 1), () => expect.unreachable());
    clock.restart();
    program.run(3);
    expect(clock.listsEntered).toBe(3);
  });

  it('starts no statement of an abandoned task, even if the program catches', () => {
    const { clock, program } = clocked();
    const error = new Error('abandoned');
    clock.stopAt(at(2, 2), () => clock.abandon(error));
    expect(() => program.run(5)).toThrow(error);
    expect(program.caught(4)).toBe(8);
    expect(() => clock.throwIfAbandoned()).toThrow(error);
    expect(clock.listsEntered).toBe(2);
    clock.restart();
    clock.throwIfAbandoned();
    expect(program.caught(4)).toBe(0);
  });

  it('does not count code run apart, and keeps the stop', () => {
    const { clock, program } = clocked();
    const hits: unknown[] = [];
    clock.stopAt(at(5, 2), () => hits.push(clock.position));
    program.run(2);
    expect(clock.runApart(() => (program.run(10), 'said'))).toBe('said');
    expect(() => clock.runApart(() => (program.run(1), expect.fail('thrown')))).toThrow('thrown');
    expect([clock.listsEntered, hits]).toEqual([2, []]);
    program.run(3);
    expect(hits).toEqual([at(5, 2)]);
  });

  it('continues from a stop at which code was run apart', () => {
    const { clock, program } = clocked();
    const hits: unknown[] = [];
    clock.stopAt(at(2, 2), () => {
      clock.runApart(() => program.run(4));
      clock.stopNext(() => hits.push(clock.position));
    });
    program.run(3);
    expect([clock.listsEntered, hits]).toEqual([3, [at(2, 3)]]);
  });

  it('runs code apart in an abandoned task', () => {
    const { clock, program } = clocked();
    clock.stopAt(at(1, 1), () => clock.abandon(new Error('abandoned')));
    expect(() => program.run(1)).toThrow('abandoned');
    expect(clock.runApart(() => program.caught(3))).toBe(0);
    expect(program.caught(3)).toBe(6);
  });

  it.each(['no observer', 'a stop', 'a watch'])('ends a task before a list, with %s set', (observer) => {
    const { clock, program } = clocked();
    const seen: number[] = [];
    if (observer === 'a stop') clock.stopAt(at(4, 1), () => seen.push(clock.listsEntered));
    if (observer === 'a watch') clock.watch((_, __, ___, list) => seen.push(list));
    clock.endAt(4, () => {
      throw new Error(`over at ${clock.listsEntered}.${clock.position?.statement}`);
    });
    expect(() => program.run(9)).toThrow('over at 4.1');
    // The stop or watch has seen the first statement there.
    expect(seen.at(-1)).toBe(observer === 'no observer' ? undefined : 4);
    clock.restart();
    program.run(9);
    expect(clock.listsEntered).toBe(9);
  });

  it('does not end code run apart', () => {
    const { clock, program } = clocked();
    program.run(2);
    clock.endAt(5, () => expect.fail('over'));
    clock.runApart(() => program.run(10));
    program.run(2);
    expect(() => program.run(1)).toThrow('over');
    expect(clock.listsEntered).toBe(5);
  });

  it('calls a watch at the same statements as successive stops', () => {
    const { clock, program } = clocked();
    const seen: unknown[] = [];
    clock.watch((file, statement, locals, list, within) => {
      seen.push([file, statement, locals, list, within]);
      expect(clock.position).toEqual(at(list, within));
    });
    program.run(2);
    expect(seen).toEqual([
      ['file', 0, [0], 1, 1],
      ['file', 1, [0], 1, 2],
      ['file', 2, [0], 1, 3],
      ['file', 0, [1], 2, 1],
      ['file', 1, [1], 2, 2],
      ['file', 2, [1], 2, 3],
    ]);
  });

  it('calls a watch neither for code run apart, nor in another task, nor after its end', () => {
    const { clock, program } = clocked();
    const seen: string[] = [];
    clock.watch((_, statement, __, list) => {
      seen.push(`${list}: ${statement}`);
      if (list === 1) clock.runApart(() => program.run(3));
      if (list === 2) clock.watch(undefined);
    });
    program.run(3);
    expect(seen).toEqual(['1: 0', '1: 1', '1: 2', '2: 0']);
    expect(clock.listsEntered).toBe(3);
    clock.restart();
    clock.watch((_, statement) => seen.push(String(statement)));
    clock.restart();
    program.run(1);
    expect(seen).toHaveLength(4);
    expect(() => clock.watch(() => {})).toThrow('the position is known only at a stop');
  });

  it('can abandon a task from a watch', () => {
    const { clock, program } = clocked();
    const error = new Error('abandoned');
    clock.watch((_, __, ___, list) => {
      if (list === 2) clock.abandon(error);
    });
    expect(() => program.run(5)).toThrow(error);
    expect([clock.listsEntered, program.caught(2)]).toEqual([2, 4]);
  });
});
