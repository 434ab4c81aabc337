// What a standby process prepares for states of which it will restore one.
import { expect, test } from 'vitest';
import type { ProgramHead } from '../src/state-container.ts';
import { prepareRecords } from '../src/records.ts';

const record = (filename: string, kind: string, rest: object = {}, code: object = {}): object => ({
  key: `file://${filename}`,
  filename,
  originKind: kind === 'commonjs' ? 'commonjs' : 'module',
  status: 'evaluated',
  pendingAsyncDependencies: 0,
  code: { kind, instance: 0, hash: 'h', functions: [], classes: [], uninitialised: [], ...code },
  ...rest,
});

function preparedFor(...states: (readonly object[])[]): unknown[] {
  const prepared: unknown[] = [];
  const prepareForRestore = (...args: unknown[]): unknown => prepared.push(args);
  prepareRecords(
    { code: { prepareForRestore } as never },
    states.map((records) => ({
      head: { records } as unknown as ProgramHead,
      sources: records.map((each) => ('gone' in each ? undefined : 'text')),
    })),
  );
  return prepared;
}

test('modules and CommonJS files are prepared under the names under which they run', () => {
  const prepared = preparedFor([record('/a.mjs', 'module'), record('/b.cjs', 'commonjs', {}, { instance: 1 })]);
  expect(prepared).toEqual([
    [
      { filename: '/a.mjs', source: 'text', kind: 'module', instance: 0 },
      'file:///a.mjs',
      { functions: [], classes: [] },
    ],
    [{ filename: '/b.cjs', source: 'text', kind: 'commonjs', instance: 1 }, '/b.cjs', { functions: [], classes: [] }],
  ]);
});

test('code that a restore does not load is not prepared', () => {
  const prepared = preparedFor([
    record('/made.mjs', 'function'),
    record('/script.mjs', 'script'),
    record('/no-text.mjs', 'module', { gone: true }),
    record('/no-code.mjs', 'module', { code: null }),
    record('/unevaluated.mjs', 'module', { status: 'linked' }),
  ]);
  expect(prepared).toEqual([]);
});

test('states with the same code share one preparation, for the functions and classes of all', () => {
  const prepared = preparedFor(
    [record('/a.mjs', 'module', {}, { functions: [1, 3], classes: [0] })],
    [record('/a.mjs', 'module', {}, { functions: [2, 3], classes: [5] })],
    [record('/a.mjs', 'module', {}, { hash: 'changed', functions: [9] })],
  );
  expect(prepared.map((args) => (args as unknown[])[2])).toEqual([
    { functions: [1, 2, 3], classes: [0, 5] },
    { functions: [9], classes: [] },
  ]);
});

test('variables that were not initialised belong to the code', () => {
  const prepared = preparedFor(
    [record('/a.mjs', 'module', {}, { uninitialised: ['late'] })],
    [record('/a.mjs', 'module')],
  );
  expect(prepared.map((args) => (args as unknown[])[2])).toEqual([
    { functions: [], classes: [], dead: ['late'] },
    { functions: [], classes: [] },
  ]);
});
