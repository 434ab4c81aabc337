// A heap writer as small as can be, for tests: takes a graph apart to JSON text through core's `internals` and makes it again
// in another realm. Functions of the program are written by name, looked up in `code`.
import { internals } from '@turntable/core';
import type { CoreKind, Realm } from '@turntable/core';

type Code = Record<string, unknown>;
type Plain = null | boolean | number | string | { [tag: string]: unknown };

export function writeHeap(realm: Realm, root: unknown, code: Code): string {
  const names = new Map<unknown, string>(Object.entries(code).map(([name, value]) => [value, name]));
  const known = new Map<unknown, string>(
    Object.entries(internals.wellKnown(realm)).map(([name, value]) => [value, name]),
  );
  const ids = new Map<object, number>();
  const nodes: unknown[] = [];

  function reference(value: unknown): Plain {
    if (value === undefined) return { undefined: true };
    if (value === null || typeof value === 'boolean' || typeof value === 'string' || Number.isFinite(value))
      return value as Plain;
    if (names.has(value)) return { code: names.get(value) };
    if (known.has(value)) return { known: known.get(value) };
    if (typeof value !== 'object' && typeof value !== 'function') throw new Error(`not written: ${String(value)}`);
    let id = ids.get(value as object);
    if (id === undefined) {
      id = nodes.length;
      ids.set(value as object, id);
      nodes.push(undefined);
      nodes[id] = node(value as object);
    }
    return { id };
  }

  function node(value: object): unknown {
    if (typeof value === 'function') {
      const identity = internals.identify(value as () => unknown);
      if (identity?.module !== internals.CORE)
        throw new Error(`not written: function ${(value as () => unknown).name}`);
      return { closure: identity.ordinal, captures: identity.captures.map(reference) };
    }
    const state = internals.read(realm, value);
    if (state !== undefined)
      return {
        core: state.kind,
        prototype: reference(Object.getPrototypeOf(value) as object),
        fields: fieldReferences(state.fields),
      };
    if (Array.isArray(value)) return { array: value.map(reference) };
    if (value instanceof Map) return { map: [...value].map(([k, v]) => [reference(k), reference(v)]) };
    if (value instanceof Set) return { set: [...value].map(reference) };
    if (value instanceof Error) return { error: value.message };
    const prototype: unknown = Object.getPrototypeOf(value);
    return {
      object: fieldReferences(value as Record<string, unknown>),
      prototype: prototype === Object.prototype ? null : reference(prototype),
    };
  }

  function fieldReferences(of: Record<string, unknown>): Record<string, Plain> {
    return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, reference(value)]));
  }

  const start = reference(root);
  return JSON.stringify({ start, nodes });
}

interface WrittenNode {
  core?: CoreKind;
  prototype?: Plain;
  fields?: Record<string, Plain>;
  closure?: number;
  captures?: Plain[];
  array?: Plain[];
  map?: [Plain, Plain][];
  set?: Plain[];
  error?: string;
  object?: Record<string, Plain>;
}

export function rebuildHeap(realm: Realm, text: string, code: Code): unknown {
  const { start, nodes } = JSON.parse(text) as { start: Plain; nodes: WrittenNode[] };
  const known = internals.wellKnown(realm);
  const objects: object[] = [];

  function value(plain: Plain): unknown {
    if (plain === null || typeof plain !== 'object') return plain;
    if ('undefined' in plain) return undefined;
    if ('code' in plain) return code[plain['code'] as string];
    if ('known' in plain) return known[plain['known'] as string];
    return make(plain['id'] as number);
  }

  function make(id: number): object {
    const node = nodes[id]!;
    return (objects[id] ??=
      node.closure !== undefined
        ? internals.createClosure(realm, node.closure, node.captures!.map(value))
        : node.core !== undefined
          ? internals.allocate(realm, node.core, prototypeOf(node))
          : node.array !== undefined
            ? []
            : node.map !== undefined
              ? new Map()
              : node.set !== undefined
                ? new Set()
                : node.error !== undefined
                  ? new Error(node.error)
                  : (Object.create(
                      node.prototype === null ? Object.prototype : (value(node.prototype!) as object),
                    ) as object));
  }

  function prototypeOf(node: WrittenNode): object | undefined {
    return ['eventual', 'generator', 'asyncGenerator'].includes(node.core!)
      ? (value(node.prototype!) as object)
      : undefined;
  }

  function record(plain: Record<string, Plain>): Record<string, unknown> {
    return Object.fromEntries(Object.entries(plain).map(([key, field]) => [key, value(field)]));
  }

  const deferredFills: (() => void)[] = [];
  nodes.forEach((node, id) => {
    const object = make(id);
    if (node.core === 'iterator')
      deferredFills.push(() => internals.fill(realm, object, { kind: 'iterator', fields: record(node.fields!) }));
    else if (node.core !== undefined) internals.fill(realm, object, { kind: node.core, fields: record(node.fields!) });
    else if (node.array !== undefined) node.array.forEach((item, i) => ((object as unknown[])[i] = value(item)));
    else if (node.map !== undefined)
      for (const [k, v] of node.map) (object as Map<unknown, unknown>).set(value(k), value(v));
    else if (node.set !== undefined) for (const item of node.set) (object as Set<unknown>).add(value(item));
    else if (node.object !== undefined) Object.assign(object, record(node.object));
  });
  for (const fill of deferredFills) fill();
  return value(start);
}
