// Dates, regular expressions and boxed primitives. They are written by hidden state (time value, source and flags,
// value), because properties may be overridden.

import { passesBrandCheck, descriptorOf, getterOf, namesOf, receiverFirst, timeOf } from '../intrinsics.ts';
import { FIRST_KIND } from '../tags.ts';
import type { ObjectKind } from '../object-kind.ts';

// The program may replace the global class.
const NativeDate = Date;

export const dateKind: ObjectKind = {
  tag: FIRST_KIND + 8,
  name: 'Date',
  prototype: Date.prototype,
  matches: (object) => passesBrandCheck(timeOf as (value: never) => number, object),
  isBare: (object) => namesOf(object).length === 0,
  writeHeader: (writer, object) => writer.double(timeOf(object as Date)),
  allocate: (reader) => new NativeDate(reader.double()),
};

const sourceOf = getterOf<string>(RegExp.prototype, 'source');
const FLAGS = [
  ['d', 'hasIndices'],
  ['g', 'global'],
  ['i', 'ignoreCase'],
  ['m', 'multiline'],
  ['s', 'dotAll'],
  ['u', 'unicode'],
  ['v', 'unicodeSets'],
  ['y', 'sticky'],
].map(([flag, name]) => [flag as string, getterOf<boolean>(RegExp.prototype, name as string)] as const);

function flagsOf(object: object): string {
  let flags = '';
  for (let i = 0; i < FLAGS.length; i++) {
    const [flag, read] = FLAGS[i] as (typeof FLAGS)[number];
    if (read(object)) flags += flag;
  }
  return flags;
}

export const regexpKind: ObjectKind = {
  tag: FIRST_KIND + 9,
  name: 'RegExp',
  prototype: RegExp.prototype,
  matches: (object, { types }) => types.isRegExp(object),
  isBare: (object) => namesOf(object).length === 1 && descriptorOf(object, 'lastIndex')?.writable === true,
  isAccountedFor: (object, key) => key === 'lastIndex' && descriptorOf(object, 'lastIndex')?.writable === true,
  writeHeader(writer, object) {
    writer.string(sourceOf(object));
    writer.string(flagsOf(object));
  },
  writeContents(writer, object) {
    writer.value(descriptorOf(object, 'lastIndex')?.value);
    return undefined;
  },
  allocate(reader) {
    const start = reader.offset;
    const source = reader.stringValue();
    const flags = reader.stringValue();
    return reader.guard(start, () => new RegExp(source, flags));
  },
  fill(reader, object) {
    (object as RegExp).lastIndex = reader.value() as number;
  },
  edges: (object, edge) => edge('.lastIndex', descriptorOf(object, 'lastIndex')?.value),
};

const unboxMethods = [
  receiverFirst(Number.prototype.valueOf),
  receiverFirst(String.prototype.valueOf),
  receiverFirst(Boolean.prototype.valueOf),
  receiverFirst(Symbol.prototype.valueOf),
  receiverFirst(BigInt.prototype.valueOf),
] as ((value: never) => unknown)[];

function primitiveOf(object: object): unknown {
  for (let i = 0; i < unboxMethods.length; i++) {
    try {
      return unboxMethods[i]?.(object as never);
    } catch {
      // The object boxes a value of another type.
    }
  }
  return undefined;
}

function isCharacterKey(object: object, key: string): boolean {
  const primitive = primitiveOf(object);
  return (
    typeof primitive === 'string' &&
    (key === 'length' || `${(key as unknown as number) >>> 0}` === key) &&
    Number(key) < primitive.length
  );
}

export const boxedKind: ObjectKind = {
  tag: FIRST_KIND + 10,
  name: 'boxed primitive',
  prototype: undefined,
  matches: (object, { types }) => types.isBoxedPrimitive(object),
  isBare: () => false,
  isAccountedFor: (object, key) =>
    (key === 'length' && typeof primitiveOf(object) === 'string') || isCharacterKey(object, key),
  writeHeader: (writer, object) => writer.value(primitiveOf(object)),
  allocate(reader) {
    const start = reader.offset;
    const value = reader.value();
    if (value === undefined || value === null || typeof value === 'object' || typeof value === 'function')
      throw reader.corrupt('a primitive value', start);
    return Object(value) as object;
  },
};

const createSloppyArguments = new Function('return arguments') as () => object;
function strictArguments(...args: unknown[]): object;
function strictArguments(): object {
  return arguments;
}

/** `arguments`. A mapped one is restored unmapped: its function has returned, or keeps parameters in a frame. */
export const argumentsKind: ObjectKind = {
  tag: FIRST_KIND + 11,
  name: 'arguments',
  prototype: undefined,
  matches: (object, { types }) => types.isArgumentsObject(object),
  isBare: () => false,
  initialKeys: ['length', 'callee'],
  writeHeader: (writer, object) => writer.byte(descriptorOf(object, 'callee')?.get === undefined ? 1 : 0),
  allocate: (reader) => (reader.byte() === 1 ? createSloppyArguments() : strictArguments()),
};

export const VALUE_KINDS: readonly ObjectKind[] = [dateKind, regexpKind, boxedKind, argumentsKind];
