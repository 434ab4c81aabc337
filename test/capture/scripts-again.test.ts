// Scripts of one context share their lexical declarations, and code passed to indirect `eval` does not. That also holds
// for restored functions.
import { createContext, runInContext, Script } from 'node:vm';
import { transform } from '@turntable/transform';
import { expect, test } from 'vitest';

interface Restored {
  readonly functions: readonly ((made: object) => () => unknown)[];
}

const OWN = 'let own = 1; const fixed = 2; function read() { return own + fixed; }';

/** Restoring form of a script, and the names of its variables. */
function restoring(source: string, prefix: string): { code: string; variables: readonly string[] } {
  const options = { path: 'script.js', kind: 'script', prefix } as const;
  const { code, table } = transform(source, { ...options, restore: { functions: [0], classes: [] } });
  return { code, variables: table.module.variables };
}

function start(factory: unknown): { restored: Restored; write(values: readonly unknown[]): void } {
  let write: ((values: readonly unknown[]) => void) | undefined;
  const record = { scope: (_: unknown, writer: typeof write) => (write = writer) };
  const restored = (factory as (record: object, realm: object) => Restored)(record, { defineFile: () => undefined });
  return { restored, write: (values) => write?.(values) };
}

test('restored functions find the declarations of other scripts', () => {
  const context = createContext();
  const { code, variables } = restoring(OWN, '$$0_');
  const other = restoring('function readOther() { return own * 10; }', '$$1_');
  const first = start(new Script(code).runInContext(context));
  const second = start(new Script(other.code).runInContext(context));
  expect(variables).toEqual(['own', 'fixed']);
  first.write([4, 5]);
  expect(first.restored.functions[0]?.({})()).toBe(9);
  expect(second.restored.functions[0]?.({})()).toBe(40);
});

test('code passed to indirect eval keeps its declarations to itself', () => {
  const context = createContext();
  const { code } = restoring(OWN, '$$0_');
  const { restored, write } = start((runInContext('eval', context) as (text: string) => unknown)(code));
  write([4, 5]);
  expect(restored.functions[0]?.({})()).toBe(9);
  expect(runInContext('typeof own', context)).toBe('undefined');
});
