// Core's state: eventuals with their reactions, generators, frames, iterators, cells. Core's capture interface reads
// and creates them; they are written as field values, in an order that is part of the format. Engine objects that core
// takes apart (engine-objects.ts) use the same adapter.

import { internals, type CoreKind, type CoreState } from '@turntable/core';
import { CaptureRefusal } from '../heap-error.ts';
import { hasOwn, objectPrototype, prototypeOf, SafeMap, SafeSet } from '../intrinsics.ts';
import { createEngineObjectAdapter, FIRST_ENGINE_KIND } from './engine-objects.ts';
import type { ContextCanonicalizer } from './context-canonicalizer.ts';
import type { ObjectAdapter, HeapPorts, ObjectParts } from '../ports.ts';

/** Fields of each kind, in the order of the format. */
export const CORE_FIELDS: Readonly<Record<CoreKind, readonly string[]>> = {
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
  mappedParameter: ['elements', 'index', 'own'],
};
export const CORE_KINDS = Object.keys(CORE_FIELDS) as CoreKind[];
const KIND_NUMBERS = new SafeMap<string, number>();
for (const [i, kind] of CORE_KINDS.entries()) KIND_NUMBERS.set(kind, i);
const FIRST_SLOT = CORE_FIELDS.frame.indexOf('s0');
const MORE_SLOTS = CORE_FIELDS.frame.indexOf('more');

function kindSet(...kinds: CoreKind[]): SafeSet<string> {
  const names = new SafeSet<string>();
  for (const kind of kinds) names.add(kind);
  return names;
}

/** Kinds whose prototype belongs to the program. */
const KINDS_WITH_PROGRAM_PROTOTYPE = kindSet('eventual', 'generator', 'asyncGenerator');
/** Kinds that the program can access, so that any own properties are the program's. */
const KINDS_WITH_PROGRAM_PROPERTIES = kindSet('eventual', 'generator', 'asyncGenerator', 'iterator', 'asyncFromSync');

export function createCoreAdapter(ports: HeapPorts, contexts: ContextCanonicalizer): ObjectAdapter {
  const { realm, types, liveSlots, isOmitted } = ports;
  const engine = createEngineObjectAdapter(ports, contexts);
  const prototypes = new SafeSet<object>();
  for (let i = 0; i < CORE_KINDS.length; i++) {
    const prototype = prototypeOf(internals.allocate(realm, CORE_KINDS[i] as CoreKind));
    if (prototype !== null && prototype !== objectPrototype) prototypes.add(prototype);
  }

  function takeCoreObjectApart(value: object, { kind: name, fields }: CoreState): ObjectParts {
    const kind = KIND_NUMBERS.get(name) ?? -1;
    if (kind < 0)
      throw new CaptureRefusal(
        value,
        `this version of the heap does not support core's ${name}`,
        'install matching versions of the packages',
      );
    if (name === 'eventual' && fields['source'] !== undefined && isOmitted === undefined) {
      throw new CaptureRefusal(
        value,
        'it waits for a native promise, which only this process can settle',
        'capture after the host operation has ended, or create it in device(() => …)',
      );
    }
    const names = CORE_FIELDS[name];
    const values: unknown[] = [];
    for (let i = 0; i < names.length; i++) {
      const field = names[i] as string;
      if (name === 'cell' && field === 'v' && !hasOwn(fields, 'v')) continue;
      values[i] = field === 'context' ? contexts.canonicalOf(fields[field]) : fields[field];
    }
    if (name === 'frame' && liveSlots !== undefined) clearDeadSlots(values, liveSlots(value));
    return {
      kind,
      header: [],
      contents: values,
      isComplete: !KINDS_WITH_PROGRAM_PROPERTIES.has(name),
      label: (index) => `.${names[index] ?? index}`,
    };
  }

  return {
    name: 'core',
    appliesTo: 'objects',

    matchesPrototype(prototype) {
      for (let ancestor = prototype; ancestor !== null && !types.isProxy(ancestor); ancestor = prototypeOf(ancestor)) {
        if (prototypes.has(ancestor) || engine.matchesPrototype(ancestor)) return true;
      }
      return false;
    },

    takeApart(value): ObjectParts | undefined {
      const state = internals.read(realm, value);
      return state === undefined ? engine.takeApart(value) : takeCoreObjectApart(value, state);
    },

    allocate(kind, header, prototype) {
      if (kind >= FIRST_ENGINE_KIND) return engine.allocate(kind, header, prototype);
      const name = CORE_KINDS[kind];
      if (name === undefined) throw new TypeError(`core has no kind ${kind}`);
      return internals.allocate(
        realm,
        name,
        KINDS_WITH_PROGRAM_PROTOTYPE.has(name) ? (prototype ?? undefined) : undefined,
      );
    },

    fill(object, kind, contents) {
      if (kind >= FIRST_ENGINE_KIND) return engine.fill(object, kind, contents);
      const name = CORE_KINDS[kind] as CoreKind;
      const names = CORE_FIELDS[name];
      if (contents.length > names.length || (name !== 'cell' && contents.length !== names.length))
        throw new TypeError(`${name} has ${names.length} fields, not ${contents.length}`);
      const fill = (): void => internals.fill(realm, object, { kind: name, fields: toRecord(names, contents) });
      // Filled at the end: the iterator advances through a Map or Set, which needs its entries by then.
      if (name === 'iterator') return fill;
      return fill();
    },
  };
}

/** Clears dead slots: their last values are history, not state. */
function clearDeadSlots(values: unknown[], live: readonly number[] | undefined): void {
  if (live === undefined) return;
  const isLive: boolean[] = [];
  for (let i = 0; i < live.length; i++) isLive[live[i] as number] = true;
  for (let slot = 0; slot < 8; slot++) if (isLive[slot] !== true) values[FIRST_SLOT + slot] = undefined;
  const more = values[MORE_SLOTS] as readonly unknown[] | undefined;
  if (more === undefined) return;
  const liveSlots: unknown[] = [];
  for (let i = 0; i < more.length; i++) liveSlots[i] = isLive[8 + i] === true ? more[i] : undefined;
  values[MORE_SLOTS] = liveSlots;
}

function toRecord(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (let i = 0; i < values.length; i++) record[names[i] as string] = values[i];
  return record;
}
