// What a worker's part of a snapshot says, as a digest that is equal for equal states: of the part of a recording and of the one that is made at
// the same cut of a replay. So nothing has to be told apart while a program is recorded.
import { BuiltIn } from '@turntable/heap/inert';
import { InertSources, readInertState } from '@turntable/program-state/inert';
import { canonicalPieces, inertRuntimeObjects } from '@turntable/runtime/inert';
import { GraphDigest } from './graph-digest.ts';

/** Of what is read by numbers, no names are needed. */
const NO_SOURCES = new InertSources(false, () => []);

/** Fields of kinds that say when, or which of what the process has numbered. */
const MOMENTARY_FIELDS: ReadonlyMap<string, ReadonlySet<PropertyKey>> = new Map([
  ['Timeout', new Set(['remaining', 'id'])],
  ['Immediate', new Set(['remaining', 'id'])],
  ['Event', new Set(['timeStamp'])],
  ['CustomEvent', new Set(['timeStamp'])],
]);

/** What is configured, and counts for itself, beyond the membrane: in a replay nothing is done there. */
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
    // Where a server listened: nothing listens in a replay.
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
  // Nobody imports it again by its record: it is there for its functions, and not for those alone that only the outside has, which the collector may have taken.
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

/** Asked for all properties of an object, one behind the other. */
function createMomentaryLookup(): (object: object) => ReadonlySet<PropertyKey> | undefined {
  let lastObject: object | undefined;
  let fields: ReadonlySet<PropertyKey> | undefined;
  return (object) => {
    if (object !== lastObject) fields = MOMENTARY_FIELDS.get(constructorName(object));
    lastObject = object;
    return fields;
  };
}

/** What Node's emitters put on an error to which nobody listens, so that it is printed with where it was emitted. */
function isInspectOnly(key: PropertyKey): boolean {
  return typeof key === 'symbol' && key.description === 'kEnhanceStackBeforeInspector';
}

/** Timers in the order in which they were made: in which they will fire is for the clock to say. */
function sortTimers(timers: unknown): unknown {
  const numberOf = (timer: unknown): number => Number((timer as { number?: unknown }).number);
  return Array.isArray(timers) ? timers.toSorted((a, b) => numberOf(a) - numberOf(b)) : timers;
}

function constructorName(object: object): string {
  const prototype = Reflect.getPrototypeOf(object);
  const { value } = (prototype && Reflect.getOwnPropertyDescriptor(prototype, 'constructor')) ?? {};
  return typeof value === 'function' ? value.name : '';
}
