// What a worker's part of a snapshot says, as a digest that is equal for equal states: of the part of a recording and of the one that is made at
// the same cut of a replay. So nothing has to be told apart while a program is recorded.
import { BuiltIn } from '@turntable/heap/inert';
import { InertTexts, readInertState } from '@turntable/program-state/inert';
import { canonicalPieces, inertRuntimeObjects } from '@turntable/runtime/inert';
import { GraphDigest } from './graph-digest.ts';

/** Of what is read by numbers, no names are needed. */
const NO_TEXTS = new InertTexts(false, () => []);

/** Fields of kinds that say when, or which of what the process has numbered. */
const OF_THE_MOMENT: ReadonlyMap<string, ReadonlySet<PropertyKey>> = new Map([
  ['Timeout', new Set(['remaining', 'id'])],
  ['Immediate', new Set(['remaining', 'id'])],
  ['Event', new Set(['timeStamp'])],
  ['CustomEvent', new Set(['timeStamp'])],
]);

/** What is configured, and counts for itself, beyond the membrane: in a replay nothing is done there. */
const OUTSIDE = /^node:https?\.globalAgent/;

export function partDigest(bytes: Uint8Array): string {
  const { base, modules, pieces, changes, placeOf, isText } = readInertState(bytes, NO_TEXTS, [inertRuntimeObjects()]);
  const canonical = canonicalPieces(pieces);
  const met = new Set<unknown>();
  const momentary = momentaryFields();
  const digest = new GraphDigest({
    codeOf(fn) {
      const [module, ordinal] = placeOf(fn) ?? [];
      const { url } = (module ?? {}) as { url?: unknown };
      met.add(module);
      return `${String(url)} ${String(ordinal)}`;
    },
    // Where a server listened: nothing listens in a replay.
    isLeftOut: (object, key) => isForPrinting(key) || (key === 'listened' && kindOf(object) === 'Handle'),
    leadsTo: (object) => canonical.leadsTo(object),
    shown(object, key, value) {
      return momentary(object)?.has(key) === true ? undefined : canonical.shown(object, key, value);
    },
  });
  for (const [name, value] of Object.entries(base)) digest.add(name, name === 'timers' ? inOrder(value) : value);
  const isForItsFunctions = (module: object): boolean => isText(module) || isCommonJs(module);
  for (const module of modules) if (!isForItsFunctions(module)) digest.add(module.url, module);
  for (const [name, value] of canonical.pieces) digest.add(name, value);
  changes
    .filter(({ of }) => !(of instanceof BuiltIn && OUTSIDE.test(of.name)))
    .forEach(({ of, properties }, i) => digest.add(`change ${i}`, [of, properties]));
  // Nobody imports it again by its record: it is there for its functions, and not for those alone that only the outside has, which the collector may have taken.
  for (let left = modules.filter(isForItsFunctions); ;) {
    const found = left.filter((module) => met.has(module));
    if (found.length === 0) return digest.finish();
    left = left.filter((module) => !found.includes(module));
    for (const module of found) digest.add(module.url, module);
  }
}

function isCommonJs(module: object): boolean {
  return 'parameters' in module;
}

/** Asked for all properties of an object, one behind the other. */
function momentaryFields(): (object: object) => ReadonlySet<PropertyKey> | undefined {
  let last: object | undefined;
  let fields: ReadonlySet<PropertyKey> | undefined;
  return (object) => {
    if (object !== last) fields = OF_THE_MOMENT.get(kindOf(object));
    last = object;
    return fields;
  };
}

/** What Node's emitters put on an error to which nobody listens, so that it is printed with where it was emitted. */
function isForPrinting(key: PropertyKey): boolean {
  return typeof key === 'symbol' && key.description === 'kEnhanceStackBeforeInspector';
}

/** Timers in the order in which they were made: in which they will fire is for the clock to say. */
function inOrder(timers: unknown): unknown {
  const numberOf = (timer: unknown): number => Number((timer as { number?: unknown }).number);
  return Array.isArray(timers) ? timers.toSorted((a, b) => numberOf(a) - numberOf(b)) : timers;
}

function kindOf(object: object): string {
  const prototype = Reflect.getPrototypeOf(object);
  const { value } = (prototype && Reflect.getOwnPropertyDescriptor(prototype, 'constructor')) ?? {};
  return typeof value === 'function' ? value.name : '';
}
