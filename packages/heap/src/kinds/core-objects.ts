// Core's own state: eventuals with what waits for them, generators, frames, iterators, cells. Read and made through core's one door
// for capture; written as the values of their fields, in an order that is part of the format.

import { internals } from '@turntable/core';
import type { CoreKind, Realm } from '@turntable/core';
import { Refusal } from '../heap-error.ts';
import { descriptorOf, hasOwn, objectPrototype, prototypeOf, SafeMap, SafeSet } from '../intrinsics.ts';
import type { Adapter, HeapPorts, Parts } from '../ports.ts';

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  eventual: ['state', 'value', 'waiting', 'handled', 'reported'],
  generator: ['frame'],
  asyncGenerator: ['state'],
  asyncGeneratorState: ['status', 'frame', 'queue', 'returning', 'yielded'],
  iterator: ['kind', 'source', 'position'],
  asyncFromSync: ['source', 'method'],
  frame: ['step', 'pc', 'result', 'kind', 'context', 's0', 's1', 's2', 's3', 's4', 's5', 's6', 's7', 'more'],
  reaction: ['kind', 'derived', 'onFulfilled', 'onRejected', 'context'],
  continuation: ['kind', 'tag', 'target', 'detail', 'context'],
  arrayElements: ['iterator', 'method', 'done'],
  asyncIteration: ['iterator', 'next', 'value'],
  disposalStack: ['resources', 'failed', 'error', 'pending', 'owed'],
  thenableJob: ['eventual', 'then', 'context'],
  callbackJob: ['callback', 'args', 'context'],
  forOf: ['frame', 'source', 'method', 'value', 'repeat'],
  forIn: ['frame', 'object', 'keys', 'position', 'value', 'repeat'],
  delegate: ['source', 'method', 'direct', 'value', 'returning'],
  asyncDelegate: ['record', 'iterable', 'phase', 'value', 'returning'],
  cell: ['name', 'v'],
  weakRef: ['target'],
  finalizationRegistry: ['cleanup', 'registrations'],
};
const KINDS = Object.keys(FIELDS);
const NUMBERS = new SafeMap<string, number>();
for (const [i, kind] of KINDS.entries()) NUMBERS.set(kind, i);

function named(...kinds: string[]): SafeSet<string> {
  const set = new SafeSet<string>();
  for (const kind of kinds) set.add(kind);
  return set;
}

/** Kinds whose prototype is the program's. */
const STAMPED = named('eventual', 'generator', 'asyncGenerator', 'weakRef', 'finalizationRegistry');
/** Kinds whose fields are hidden: what own properties they have is the program's. */
const HIDDEN = named('eventual', 'generator', 'asyncGenerator', 'weakRef', 'finalizationRegistry', 'iterator');
/** Kinds whose fields cannot be given later. */
const WHOLE = named('weakRef');

type Allocate = (realm: Realm, kind: string, prototype?: object, operands?: Record<string, unknown>) => object;
const allocateCore = internals.allocate as Allocate;

export function coreAdapter({ realm, isLive }: HeapPorts): Adapter {
  const prototypes = new SafeSet<object>();
  for (const kind of KINDS) {
    try {
      const prototype = prototypeOf(allocateCore(realm, kind));
      if (prototype !== null && prototype !== objectPrototype) prototypes.add(prototype);
    } catch {
      // not a kind of this version of core
    }
  }

  return {
    name: 'core',
    asks: 'objects',

    claims(prototype) {
      for (let each = prototype; each !== null; each = prototypeOf(each)) {
        if (prototypes.has(each)) return true;
      }
      return false;
    },

    take(value): Parts | undefined {
      const state = internals.read(realm, value);
      if (state === undefined) return undefined;
      const kind = NUMBERS.get(state.kind) ?? -1;
      const names = FIELDS[state.kind] ?? [];
      if (kind < 0)
        throw new Refusal(
          value,
          `core's ${state.kind} is not known to this version of the heap`,
          'use matching versions',
        );
      const values: unknown[] = [];
      for (let i = 0; i < names.length; i++) {
        const name = names[i] as string;
        if (state.kind === 'cell' && name === 'v' && !hasOwn(state.fields, 'v')) continue;
        values[i] = state.fields[name];
      }
      if (state.kind === 'frame' && isLive !== undefined) {
        for (let i = 5; i < 13; i++) if (!isLive(value, names[i] as string)) values[i] = undefined;
      }
      const isWhole = WHOLE.has(state.kind);
      return {
        kind,
        header: isWhole ? values : [],
        contents: isWhole ? [] : values,
        ...(HIDDEN.has(state.kind) ? {} : { born: ownDescriptors(value, names) }),
        label: (index) => `.${names[index] ?? index}`,
      };
    },

    allocate(kind, header, prototype) {
      const name = KINDS[kind];
      if (name === undefined) throw new TypeError(`core has no kind ${kind}`);
      const operands = WHOLE.has(name) ? recordOf(FIELDS[name] ?? [], header) : undefined;
      return allocateCore(realm, name, STAMPED.has(name) ? (prototype ?? undefined) : undefined, operands);
    },

    fill(object, kind, contents) {
      const name = KINDS[kind] as CoreKind;
      if (WHOLE.has(name)) return;
      const names = FIELDS[name] ?? [];
      if (contents.length > names.length || (name !== 'cell' && contents.length !== names.length))
        throw new TypeError(`${name} has ${names.length} fields, not ${contents.length}`);
      internals.fill(realm, object, { kind: name, fields: recordOf(names, contents) });
    },
  };
}

/** Core's own closures (resolving functions and their like) and what `bind` made. */
export function coreFunctions({ realm }: HeapPorts): Adapter {
  return {
    name: 'core functions',
    asks: 'functions',
    take(value) {
      const bound = internals.read(realm, value);
      if (bound !== undefined) {
        const { target, receiver, args } = bound.fields as {
          target: unknown;
          receiver: unknown;
          args: readonly unknown[];
        };
        return {
          kind: BOUND,
          header: partsOfBound(target, receiver, args),
          contents: [],
          label: (index) => BOUND_LABELS[index] ?? ` argument ${index - 2}`,
        };
      }
      const identity = internals.identify(value as () => unknown);
      if (identity?.module !== internals.CORE) return undefined;
      return {
        kind: CLOSURE + identity.ordinal,
        header: identity.captures,
        contents: [],
        label: (index) => ` captured ${index}`,
      };
    },
    allocate(kind, header) {
      if (kind !== BOUND) return internals.closure(realm, kind - CLOSURE, [...header]);
      const [target, receiver, ...args] = header;
      return allocateCore(realm, 'boundFunction', undefined, { target, receiver, args });
    },
    fill: () => undefined,
  };
}
function partsOfBound(target: unknown, receiver: unknown, args: readonly unknown[]): unknown[] {
  const header: unknown[] = [target, receiver];
  for (let i = 0; i < args.length; i++) header[i + 2] = args[i];
  return header;
}

const BOUND = 0;
const CLOSURE = 1;
const BOUND_LABELS = [' bound function', ' bound this'];

function recordOf(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (let i = 0; i < values.length; i++) record[names[i] as string] = values[i];
  return record;
}

function ownDescriptors(object: object, names: readonly string[]): Record<string, PropertyDescriptor> {
  const born: Record<string, PropertyDescriptor> = {};
  for (let i = 0; i < names.length; i++) {
    const descriptor = descriptorOf(object, names[i] as string);
    if (descriptor !== undefined) born[names[i] as string] = descriptor;
  }
  return born;
}
