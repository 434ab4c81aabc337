// Digest of a worker's part of a snapshot, equal for equal states. It compares a part of a recording with the part that
// a replay writes at the same cut, so that recording itself needs no canonical order.
import { BuiltIn } from '@turntable/heap/inert';
import { InertSources, readInertState } from '@turntable/program-state/inert';
import { canonicalPieces, inertRuntimeObjects } from '@turntable/runtime/inert';
import { GraphDigest } from './graph-digest.ts';

/** The digest needs numbers only, no names of sources. */
const NO_SOURCES = new InertSources(false, () => []);

/** Fields with times, or with numbers that the process has assigned. */
const MOMENTARY_FIELDS: ReadonlyMap<string, ReadonlySet<PropertyKey>> = new Map([
  ['Timeout', new Set(['remaining', 'id'])],
  ['Immediate', new Set(['remaining', 'id'])],
  ['Event', new Set(['timeStamp'])],
  ['CustomEvent', new Set(['timeStamp'])],
]);

/** Host objects that may be configured in the recorded run only; a replay does nothing with them. */
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
    // The address of a server, which does not listen in a replay.
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
    .filter(({ object: of }) => !(of instanceof BuiltIn && HOST_SIDE_OBJECT.test(of.name)))
    .forEach(({ object: of, properties }, i) => digest.add(`change ${i}`, [of, properties]));
  // Nothing imports such a module by its record again. Functions of a module that only the host side holds do not
  // count, because the collector may have taken them.
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

/** Returns a lookup that must be called for all properties of one object in a row. */
function createMomentaryLookup(): (object: object) => ReadonlySet<PropertyKey> | undefined {
  let lastObject: object | undefined;
  let fields: ReadonlySet<PropertyKey> | undefined;
  return (object) => {
    if (object !== lastObject) fields = MOMENTARY_FIELDS.get(constructorName(object));
    lastObject = object;
    return fields;
  };
}

/** Property that Node adds to an unhandled error event so that its stack is printed. */
function isInspectOnly(key: PropertyKey): boolean {
  return typeof key === 'symbol' && key.description === 'kEnhanceStackBeforeInspector';
}

/** Sorts timers by creation; the order in which they fire depends on the clock. */
function sortTimers(timers: unknown): unknown {
  const numberOf = (timer: unknown): number => Number((timer as { number?: unknown }).number);
  return Array.isArray(timers) ? timers.toSorted((a, b) => numberOf(a) - numberOf(b)) : timers;
}

function constructorName(object: object): string {
  const prototype = Reflect.getPrototypeOf(object);
  const { value } = (prototype && Reflect.getOwnPropertyDescriptor(prototype, 'constructor')) ?? {};
  return typeof value === 'function' ? value.name : '';
}
