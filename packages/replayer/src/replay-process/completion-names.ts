// Names that can continue an expression. No code of the program runs: no getter and no proxy handler.
import { types } from 'node:util';
import type { CompletionName } from '@turntable/time-machine/replay-process';
import type { TopScope } from './top-scope.ts';
import type { Variables } from './variables.ts';

/** Maximum number of names in an answer. */
const MAX_NAMES = 500;
const WORD_PATTERN = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;
/** Names of the transform and of core in the context. */
const OWN_PATTERN = /^(?:tt\$|\$\$)/;

const { getOwnPropertyDescriptor, getOwnPropertyNames, getPrototypeOf } = Object;

/** Names in scope: variables, innermost first, then globals. */
export function namesInScope(
  { variables, topScope }: { readonly variables: Variables; readonly topScope: TopScope },
  ambient: object,
  prefix: string,
): CompletionName[] {
  const names = new Map<string, CompletionName['kind']>();
  for (const name of [...variables.keys(), ...topScope.keys()]) addName(names, name, 'variable');
  for (const name of [...getOwnPropertyNames(ambient), ...getOwnPropertyNames(globalThis)])
    addName(names, name, 'global');
  return toAnswer(names, prefix);
}

/** Names of the properties of a value, own ones first. @param privateNames names of its private fields */
export function memberNames(value: unknown, privateNames: readonly string[], prefix: string): CompletionName[] {
  const names = new Map<string, CompletionName['kind']>(privateNames.map((name) => [name, 'property']));
  let current: unknown = value === undefined || value === null ? null : Object(value);
  while (current !== null && !types.isProxy(current)) {
    for (const name of getOwnPropertyNames(current)) addName(names, name, kindOf(current as object, name));
    current = getPrototypeOf(current);
  }
  return toAnswer(names, prefix);
}

function addName(names: Map<string, CompletionName['kind']>, name: string, kind: CompletionName['kind']): void {
  if (!names.has(name) && WORD_PATTERN.test(name) && !OWN_PATTERN.test(name)) names.set(name, kind);
}

function kindOf(object: object, name: string): CompletionName['kind'] {
  return typeof getOwnPropertyDescriptor(object, name)?.value === 'function' ? 'method' : 'property';
}

function toAnswer(names: ReadonlyMap<string, CompletionName['kind']>, prefix: string): CompletionName[] {
  const matching = [...names].filter(([name]) => name.startsWith(prefix));
  return matching.slice(0, MAX_NAMES).map(([name, kind]) => ({ name, kind }));
}
