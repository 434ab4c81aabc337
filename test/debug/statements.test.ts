/*
 * Random programs are stopped at every statement. Debug mode has the same positions, order and variables as the plain
 * source instrumented by Babel, and the same output.
 */
import fc from 'fast-check';
import vm from 'node:vm';
import {
  createRealm,
  ModuleGraph,
  moduleRealmOf,
  StatementClock,
  type StatementPosition,
  UNINITIALISED,
  type ModuleFactory,
} from '@turntable/core';
import { transform } from '@turntable/transform';
import { describe, expect, test } from 'vitest';
import { drive, type Operation, show, GUEST_GLOBAL_NAMES, type GuestGlobals } from '../oracle/drive.ts';
import { blocks, type Kind, render } from '../oracle/program.ts';
import { instrument, type StatementProbe } from './instrument.ts';

const runs = Number(process.env['ORACLE_RUNS'] ?? 40);
const seed = process.env['ORACLE_SEED'] === 'random' ? Date.now() & 0x7fff_ffff : 20_261_123;

process.on('unhandledRejection', () => {});

const clock = new StatementClock((text) => vm.runInThisContext(text));
const realm = createRealm({
  queueMicrotask: (callback) => queueMicrotask(callback),
  nextTick: (callback) => process.nextTick(callback),
});
const graph = new ModuleGraph(moduleRealmOf(realm), {
  load: () => {
    throw new Error('nothing is imported here');
  },
});

type Make = (globals: GuestGlobals) => (p: number) => unknown;
type TracedRuns = { readonly native: (trace: string[]) => Make; readonly debug: (trace: string[]) => Make };

const bind =
  (outer: (...values: unknown[]) => (p: number) => unknown): Make =>
  (globals) =>
    outer(...GUEST_GLOBAL_NAMES.map((name) => globals[name]));

/** Both ways to run a source, each adding a line to its trace at every stop. */
function tracedRunsOf(body: string): TracedRuns {
  const source = `(function (${GUEST_GLOBAL_NAMES.join(', ')}) { ${body} return main; })`;
  const { code, table } = transform(source, { path: 'program.js', kind: 'function', debug: true });
  const keyOf = (start: number, turn: boolean): string => `${start}${turn ? ' again' : ''}`;
  const entryAt = new Map(table.statements.map((entry) => [keyOf(entry.start, entry.kind === 'iteration'), entry]));
  const plain = new vm.Script(`($at) => ${instrument(source)}`);
  return {
    native: (trace) => {
      const at: StatementProbe = (start, turn, read) => {
        const key = keyOf(start, turn);
        trace.push(line(key, entryAt.get(key)?.locals ?? [], read));
      };
      return bind((plain.runInThisContext() as (at: StatementProbe) => never)(at));
    },
    debug: (trace) => {
      const next = (): void => {
        clock.stopNext((file, statement, locals) => {
          const entry = table.statements[statement];
          if (file !== table.id || entry === undefined) throw new Error(`no statement ${statement} in ${file}`);
          const { start, kind, locals: names, boxed } = entry;
          const read = (name: string): unknown => {
            const index = names.indexOf(name);
            const isBox = boxed[index] === true && locals[index] !== UNINITIALISED;
            return isBox ? (locals[index] as { v: unknown }).v : locals[index];
          };
          trace.push(line(keyOf(start, kind === 'iteration'), names, read));
          next();
        });
      };
      clock.restart();
      next();
      const factory = new vm.Script(code).runInThisContext() as ModuleFactory;
      return bind(factory(graph.script('program.js'), realm) as never);
    },
  };
}

/** Reads a variable. A closure may run before its captured variables have values. */
function valueOf(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return UNINITIALISED;
  }
}

/** `this` and `arguments` are left out: they are other objects in the native run. */
function line(key: string, names: readonly string[], read: (name: string) => unknown): string {
  const variables = names.filter((name) => name !== 'this' && name !== 'arguments');
  return `${key}: ${variables.map((name) => `${name} = ${shown(valueOf(() => read(name)))}`).join(', ')}`;
}

function shown(value: unknown): string {
  if (value === UNINITIALISED) return 'nothing yet';
  const text = show(value);
  // Function texts are restored by the loader, which is not involved here.
  return /function|=>/.test(text) ? 'a function' : text;
}

const operations: fc.Arbitrary<readonly Operation[]> = fc.array(
  fc.record({
    method: fc.constantFrom('next' as const, 'next' as const, 'next' as const, 'throw' as const, 'return' as const),
    value: fc.nat(3),
    wait: fc.boolean(),
  }),
  { minLength: 2, maxLength: 14 },
);

function programs(kind: Kind): fc.Arbitrary<string> {
  return blocks({ scoping: true })
    .map((block) => render(block, kind))
    .filter((body) => isSyntax(`(function () { ${body} })`));
}

function isSyntax(source: string): boolean {
  try {
    new vm.Script(source);
    return true;
  } catch {
    return false;
  }
}

async function compare(kind: Kind, body: string, steps: readonly Operation[]): Promise<void> {
  const traced = tracedRunsOf(body);
  const [nativeTrace, debugTrace]: [string[], string[]] = [[], []];
  const native = await drive(kind, traced.native(nativeTrace), steps, Promise);
  const debug = await drive(kind, traced.debug(debugTrace), steps, realm.Promise as PromiseConstructor);
  clock.restart();
  const differs = debugTrace.findIndex((each, index) => each !== nativeTrace[index]);
  const at = Math.max(0, differs - 2);
  const shown = { native: nativeTrace.slice(at, at + 5), debug: debugTrace.slice(at, at + 5), body };
  expect(differs, JSON.stringify(shown, null, 1)).toBe(-1);
  expect(debugTrace.length, JSON.stringify({ native: nativeTrace.at(-1), debug: debugTrace.at(-1), body })).toBe(
    nativeTrace.length,
  );
  const withoutFunctions = (lines: readonly string[]): string[] => lines.filter((each) => !/function|=>/.test(each));
  expect(withoutFunctions(debug)).toEqual(withoutFunctions(native));
}

/** All positions at which a program stops, checking that each is after the last. */
async function positionsOf(kind: Kind, body: string, steps: readonly Operation[]): Promise<StatementPosition[]> {
  const make = tracedRunsOf(body).debug([]);
  const found: StatementPosition[] = [];
  const next = (): void =>
    clock.stopNext(() => {
      const [last, current] = [found.at(-1), clock.position as StatementPosition];
      const isBehind = last === undefined || current.list > last.list || current.statement > last.statement;
      if (!isBehind || current.list < (last?.list ?? 0))
        throw new Error(`${JSON.stringify([last, current])} in ${body}`);
      found.push(current);
      next();
    });
  const stepping: Make = (globals) => {
    const main = make(globals);
    clock.restart();
    next();
    return main;
  };
  await drive(kind, stepping, steps, realm.Promise as PromiseConstructor);
  await new Promise((resolve) => setImmediate(resolve));
  clock.restart();
  return found;
}

/** Abandons a program at one of its statements and expects no further output. */
async function abandon(kind: Kind, body: string, steps: readonly Operation[], at: StatementPosition): Promise<void> {
  const make = tracedRunsOf(body).debug([]);
  let countBefore = -1;
  let outputCount = 0;
  const quiet = (globals: GuestGlobals): GuestGlobals => {
    const entries = Object.entries(globals) as [string, (...args: unknown[]) => unknown][];
    const guarded = entries.map(([name, fn]) => [
      name,
      (...args: unknown[]) => {
        // As host calls do, since they have no probes.
        clock.throwIfAbandoned();
        if (name === 'see') outputCount++;
        return fn(...args);
      },
    ]);
    return Object.fromEntries(guarded) as GuestGlobals;
  };
  const abandoning: Make = (globals) => {
    const main = make(quiet(globals));
    clock.restart();
    clock.stopAt(at, () => {
      countBefore = outputCount;
      expect(clock.position).toEqual(at);
      clock.abandon(new Error('abandoned'));
    });
    return main;
  };
  await drive(kind, abandoning, steps, realm.Promise as PromiseConstructor);
  await new Promise((resolve) => setImmediate(resolve));
  expect(outputCount, body).toBe(countBefore);
  expect(clock.listsEntered, body).toBe(at.list);
  clock.restart();
}

/** Callbacks from native code, and all code that could catch an abort or run after it. */
const HARD_TO_LEAVE = `function main() {
  see([3, 1, 2].sort((a, b) => { see('compare'); return a - b; }).join());
  JSON.stringify({ toJSON() { see('json'); return 1; } });
  const g = (function* () { try { yield 1; see('after'); } finally { see('left'); } })();
  for (const x of g) { see(x); if (x) break; }
  try { try { see('try'); throw 1; } catch { see('catch'); } finally { see('finally'); } } catch { see('outer'); }
  new Promise((resolve) => { see('executor'); resolve(); }).then(() => { see('then'); });
  new Proxy({}, { get() { see('trap'); return 1; } }).x;
  class A { y = see('field'); static { see('static'); } get z() { see('getter'); return 1; } constructor() { see('new'); } }
  new A().z;
  for (;;) { try { see('for'); break; } catch {} }
  let n = 0;
  while (n < 2) try { n++; see('while'); } catch { n = 0; }
  do { try { see('do'); n--; } catch { n = 1; } } while (n > 0);
  [1, 2].map((x) => see(x));
  \`\${{ toString() { see('string'); return ''; } }}\`;
  (async () => { try { await null; see('async'); } catch { see('caught'); } finally { see('late'); } })();
  return see('end');
}`;

describe('an abandoned task', () => {
  test('ends from every statement, through builtins, generators, finally blocks and catch-all handlers', async () => {
    const positions = await positionsOf('sync', HARD_TO_LEAVE, []);
    expect(positions.length).toBeGreaterThan(60);
    for (const at of positions) await abandon('sync', HARD_TO_LEAVE, [], at);
  });

  test.for(['sync', 'async', 'generator', 'asyncGenerator'] as const)(
    'has no further output: %s functions',
    { timeout: 120_000 },
    async (kind) => {
      await fc.assert(
        fc.asyncProperty(programs(kind), operations, fc.nat(60), async (body, steps, n) => {
          const positions = await positionsOf(kind, body, steps);
          // A generator may end before it starts, and then has no positions.
          const at = positions[n % positions.length];
          if (at !== undefined) await abandon(kind, body, steps, at);
        }),
        { seed, numRuns: runs, endOnFailure: false },
      );
    },
  );
});

describe('a program stopped at every statement', () => {
  test.for(['sync', 'async', 'generator', 'asyncGenerator'] as const)(
    'has the positions and variables of the plain source: %s functions',
    { timeout: 120_000 },
    async (kind) => {
      await fc.assert(
        fc.asyncProperty(programs(kind), operations, (body, steps) => compare(kind, body, steps)),
        { seed, numRuns: runs, endOnFailure: false },
      );
    },
  );
});
