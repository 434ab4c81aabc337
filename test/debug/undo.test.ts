/*
 * Tasks are undone: after a task ends or is abandoned anywhere, undo restores the state before it, with the same object
 * identities, and redo or re-execution reproduces the state after it. State means what capture sees.
 */
import fc from 'fast-check';
import { runInThisContext, Script } from 'node:vm';
import { StatementClock, type StatementPosition, UndoLog } from '@turntable/core';
import { describe, expect, test } from 'vitest';
import { createNodeMutators } from '../../packages/replayer/src/thread/node-mutators.ts';
import { CaptureWorld } from '../capture/world.ts';
import { blocks, type Kind, render } from '../oracle/program.ts';
import { programOf, PROGRAMS } from './programs.ts';

const runs = Number(process.env['ORACLE_RUNS'] ?? 12);
const seed = process.env['ORACLE_SEED'] === 'random' ? Date.now() & 0x7fff_ffff : 20_261_123;

const runScript = (text: string): unknown => runInThisContext(text);
const clock = new StatementClock(runScript);
const log = new UndoLog(clock, runScript, createNodeMutators());

const ABANDONED = new Error('abandoned');
// Errors are part of the state and would contain line numbers of this file.
Error.stackTraceLimit = 0;

/** Runs one task of the program, with its jobs. */
function run(world: CaptureWorld): void {
  try {
    (world.exports['next'] as () => void)();
  } catch (error) {
    if (error !== ABANDONED) throw error;
  }
  for (;;) {
    try {
      return world.settle();
    } catch (error) {
      if (error !== ABANDONED) throw error;
    }
  }
}

/** Runs a task with the undo log and returns the positions of its statements. */
function task(world: CaptureWorld): StatementPosition[] {
  const positions: StatementPosition[] = [];
  const next = (): void =>
    clock.stopNext(() => {
      positions[positions.length] = clock.position as StatementPosition;
      next();
    });
  clock.restart();
  next();
  log.startTask(world.realm);
  run(world);
  log.pause();
  clock.restart();
  return positions;
}

function redo(): void {
  expect(log.redo()).toEqual([]);
}

function abandon(world: CaptureWorld, at: StatementPosition): void {
  clock.restart();
  clock.stopAt(at, () => clock.abandon(ABANDONED));
  log.startTask(world.realm);
  run(world);
  log.pause();
  clock.restart();
}

/** Undoes the last task. */
function undo(source: string, keepsRedo = false): void {
  expect(log.obstacle, source).toBeUndefined();
  log.undo(keepsRedo);
}

/**
 * Checks each task: run and undo, re-execute up to chosen statements and undo, abandon at statements and undo, rerun.
 * Then undo, redo and undo all tasks.
 */
function check(
  source: string,
  turns: number,
  choose: (positions: readonly StatementPosition[]) => StatementPosition[],
) {
  log.forgetOldest(log.depth);
  const world = CaptureWorld.run(source, {}, true);
  world.settle();
  const hashes = [world.hash];
  let stops = 0;
  for (let turn = 0; turn < turns; turn++) {
    const positions = task(world);
    const after = world.hash;
    undo(source, true);
    expect(world.hash, source).toBe(hashes[turn]);
    for (const at of choose(positions)) {
      // Re-execution without logging: the first log covers its changes, except those while leaving the task.
      clock.restart();
      clock.stopAt(at, () => {
        log.startAside(world.realm);
        clock.abandon(ABANDONED);
      });
      run(world);
      clock.restart();
      if (log.depth > turn) log.undo();
      log.undoAgain();
      expect(world.hash, `re-executed up to ${JSON.stringify(at)}: ${source}`).toBe(hashes[turn]);
    }
    redo();
    expect(world.hash, source).toBe(after);
    undo(source);
    expect(world.hash, source).toBe(hashes[turn]);
    for (const at of choose(positions)) {
      stops++;
      abandon(world, at);
      undo(source);
      expect(world.hash, `abandoned at ${JSON.stringify(at)}: ${source}`).toBe(hashes[turn]);
    }
    task(world);
    expect(world.hash, source).toBe(after);
    hashes.push(after);
  }
  for (let turn = turns - 1; turn >= 0; turn--) {
    undo(source, true);
    expect(world.hash, source).toBe(hashes[turn]);
  }
  for (let turn = 1; turn <= turns; turn++) {
    redo();
    expect(world.hash, source).toBe(hashes[turn]);
  }
  for (let turn = turns - 1; turn >= 0; turn--) undo(source);
  expect(world.hash, source).toBe(hashes[0]);
  expect(log.depth).toBe(0);
  return { stops, hasChanges: new Set(hashes).size > 1 };
}

describe('an undone task', () => {
  test.for(Object.entries(PROGRAMS))('%s', { timeout: 60_000 }, ([, source]) => {
    const step = (all: readonly StatementPosition[]): number => Math.max(1, Math.floor(all.length / 12));
    const { stops, hasChanges } = check(source, 4, (all) => all.filter((_, i) => i % step(all) === 0));
    expect(hasChanges).toBe(true);
    expect(stops).toBeGreaterThan(4);
  });
});

const PROXY_PROGRAM = `
  const asked = exports.asked = [];
  const noting = new Proxy({}, { get: (_, trap) => (...args) => { asked.push(trap); return Reflect[trap](...args); } });
  const shy = (target) => new Proxy(target, noting);
  class Base { kept = 1; }
  class Heir extends shy(Base) { #own = 0; static up(heir) { heir.#own++; return heir.#own; } }
  Object.setPrototypeOf(Heir.prototype, shy(Base.prototype));
  const heir = new Heir(), odd = Object.create(shy({ a: 1 })), target = { n: 0 }, map = new Map();
  let go = () => {};
  async function waits() {
    const device = shy(target), list = [device];
    for (let i = 0; ; i++) { for (const each of [device, odd]) await new Promise((resolve) => { go = resolve; }); list.push(device); }
  }
  function* yields() { const mine = shy({}); for (const each of [mine, mine]) yield [each, mine].length; }
  let walk = yields();
  waits();
  exports.next = () => {
    go(); Heir.up(heir); odd.a = 2; odd.b ??= 3; delete odd.b; heir.kept++; map.set(target, odd); if (walk.next().done) walk = yields();
    exports.device = shy(target); exports.device.n++; Object.assign(odd, exports.device);
  };
`;

test('the undo log calls no traps of proxies', () => {
  const trapsCalled = (isLogged: boolean): unknown => {
    const world = CaptureWorld.run(PROXY_PROGRAM, {}, true);
    world.settle();
    for (let turn = 0; turn < 4; turn++) {
      log.forgetOldest(log.depth);
      if (isLogged) log.startTask(world.realm);
      run(world);
      log.pause();
    }
    return [...(world.exports['asked'] as unknown[])];
  };
  const plain = trapsCalled(false);
  expect(plain).toContain('set');
  expect(trapsCalled(true)).toEqual(plain);
});

test('logs an instance of an array subclass without calling its constructor', () => {
  const world = CaptureWorld.run(
    `
    const made = exports.made = [];
    class Zeros extends Array { constructor(size) { super(size); made.push(size); this.fill(0); } }
    const zeros = exports.zeros = new Zeros(3);
    delete zeros[1];
    exports.next = () => { zeros.fill(zeros[0] + 1); zeros.length = 2; zeros.push(7); };
  `,
    {},
    true,
  );
  world.settle();
  const before = world.hash;
  log.forgetOldest(log.depth);
  log.startTask(world.realm);
  run(world);
  log.pause();
  expect(world.exports['made']).toEqual([3]);
  expect([...(world.exports['zeros'] as number[])]).toEqual([1, 1, 7]);
  log.undo();
  expect(world.hash).toBe(before);
});

describe('random programs', () => {
  test.for(['sync', 'async', 'generator', 'asyncGenerator'] as const)(
    'have equal states after undo and redo: %s functions',
    { timeout: 120_000 },
    (kind: Kind) => {
      let stops = 0;
      fc.assert(
        fc.property(mains(kind), fc.array(fc.nat(1000), { minLength: 2, maxLength: 4 }), (main, places) => {
          const choose = (all: readonly StatementPosition[]): StatementPosition[] =>
            all.length === 0 ? [] : places.map((place) => all[place % all.length] as StatementPosition);
          stops += check(programOf(kind, main), 4, choose).stops;
        }),
        { seed, numRuns: runs, endOnFailure: false },
      );
      expect(stops).toBeGreaterThan(runs);
    },
  );
});

function mains(kind: Kind): fc.Arbitrary<string> {
  return blocks({ scoping: true })
    .map((block) => render(block, kind))
    .filter((main) => isSyntax(`(function () { ${main} })`));
}

function isSyntax(source: string): boolean {
  try {
    new Script(source);
    return true;
  } catch {
    return false;
  }
}
