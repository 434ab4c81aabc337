// Digest of a worker's part of a snapshot, equal for equal states. It makes recorded and replayed parts comparable, so
// that the recorder needs no canonical order.
import { BuiltIn } from '@turntable/heap/inert';
import { InertSources, readInertState } from '@turntable/program-state/inert';
import { canonicalPieces, inertRuntimeObjects } from '@turntable/runtime/inert';
import { GraphDigest } from './graph-digest.ts';

/** The digest identifies code by numbers, so it needs no source texts. */
const NO_SOURCES = new InertSources(() => []);

/** Fields of host objects that hold times or numbers assigned by the process; they differ between equal states. */
const MOMENTARY_FIELDS: ReadonlyMap<string, ReadonlySet<PropertyKey>> = new Map([
  ['Timeout', new Set(['remaining', 'id'])],
  ['Immediate', new Set(['remaining', 'id'])],
  ['Event', new Set(['timeStamp'])],
  ['CustomEvent', new Set(['timeStamp'])],
]);

/** Host objects that only the recorded run may have configured; a replay does not use them. */
const HOST_SIDE_OBJECT = /^node:https?\.globalAgent/;

export function digestPart(bytes: Uint8Array): string {
  const { base, modules, pieces, changes, codeIdOf, isRuntimeCode } = readInertState(bytes, NO_SOURCES, [
    inertRuntimeObjects(),
  ]);
  const canonical = canonicalPieces(pieces);
  const usedModules = new Set<unknown>();
  const momentaryFieldsOf = createMomentaryLookup();
  const digest = new GraphDigest({
    codeIdOf(fn) {
      const [module, ordinal] = codeIdOf(fn) ?? [];
      const { url } = (module ?? {}) as { url?: unknown };
      usedModules.add(module);
      return `${String(url)} ${String(ordinal)}`;
    },
    // `listenAddress`: servers do not listen in a replay.
    isOmitted: (object, key) => isInspectOnly(key) || (key === 'listenAddress' && constructorName(object) === 'Handle'),
    linkedValue: (object) => canonical.pieceOf(object),
    canonicalValue(object, key, value) {
      return momentaryFieldsOf(object)?.has(key) === true ? undefined : canonical.canonicalField(object, key, value);
    },
  });
  for (const [name, value] of Object.entries(base)) digest.add(name, name === 'timers' ? sortTimers(value) : value);
  const isFunctionContainer = (module: object): boolean => isRuntimeCode(module) || isCommonJs(module);
  for (const module of modules) if (!isFunctionContainer(module)) digest.add(module.url, module);
  for (const [name, value] of canonical.pieces) digest.add(name, value);
  changes
    .filter(({ object }) => !(object instanceof BuiltIn && HOST_SIDE_OBJECT.test(object.name)))
    .forEach(({ object, properties }, i) => digest.add(`change ${i}`, [object, properties]));
  // CommonJS modules and run-time code count only if their functions are reached: no import reaches their records
  // again. Functions that only the host side holds do not count, because they may have been garbage collected.
  for (let remaining = modules.filter(isFunctionContainer); ;) {
    const used = remaining.filter((module) => usedModules.has(module));
    if (used.length === 0) return digest.finish();
    remaining = remaining.filter((module) => !used.includes(module));
    for (const module of used) digest.add(module.url, module);
  }
}

function isCommonJs(module: object): boolean {
  return 'parameters' in module;
}

/** Looks up the momentary fields of an object; fast for consecutive calls with the same object. */
function createMomentaryLookup(): (object: object) => ReadonlySet<PropertyKey> | undefined {
  let lastObject: object | undefined;
  let fields: ReadonlySet<PropertyKey> | undefined;
  return (object) => {
    if (object !== lastObject) fields = MOMENTARY_FIELDS.get(constructorName(object));
    lastObject = object;
    return fields;
  };
}

/** Whether the key is the property that Node adds to the error of an unhandled `error` event, to print its stack. */
function isInspectOnly(key: PropertyKey): boolean {
  return typeof key === 'symbol' && key.description === 'kEnhanceStackBeforeInspector';
}

/** Sorts timers by creation, because the order in which they fire depends on the clock. */
function sortTimers(timers: unknown): unknown {
  const numberOf = (timer: unknown): number => Number((timer as { number?: unknown }).number);
  return Array.isArray(timers) ? timers.toSorted((a, b) => numberOf(a) - numberOf(b)) : timers;
}

function constructorName(object: object): string {
  const prototype = Reflect.getPrototypeOf(object);
  const { value } = (prototype && Reflect.getOwnPropertyDescriptor(prototype, 'constructor')) ?? {};
  return typeof value === 'function' ? value.name : '';
}
