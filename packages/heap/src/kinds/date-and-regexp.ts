// Dates by their time value, regular expressions by source and flags (read from hidden state, not from what may be overridden), boxed
// primitives by what they box.

import { accepts, descriptorOf, getterOf, namesOf, receiverFirst, timeOf } from '../intrinsics.ts';
import { FIRST_KIND } from '../tags.ts';
import type { Kind } from '../kind.ts';

/** A program may put its own in its place. */
const NativeDate = Date;

export const date: Kind = {
  tag: FIRST_KIND + 8,
  name: 'Date',
  prototype: Date.prototype,
  is: (object) => accepts(timeOf as (value: never) => number, object),
  bare: (object) => namesOf(object).length === 0,
  header: (writer, object) => writer.double(timeOf(object as Date)),
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

export const regexp: Kind = {
  tag: FIRST_KIND + 9,
  name: 'RegExp',
  prototype: RegExp.prototype,
  is: (object, { types }) => types.isRegExp(object),
  bare: (object) => namesOf(object).length === 1 && descriptorOf(object, 'lastIndex')?.writable === true,
  owns: (object, key) => key === 'lastIndex' && descriptorOf(object, 'lastIndex')?.writable === true,
  header(writer, object) {
    writer.string(sourceOf(object));
    writer.string(flagsOf(object));
  },
  contents(writer, object) {
    writer.value(descriptorOf(object, 'lastIndex')?.value);
    return undefined;
  },
  allocate(reader) {
    const at = reader.at;
    const source = reader.text();
    const flags = reader.text();
    return reader.guarded(at, () => new RegExp(source, flags));
  },
  fill(reader, object) {
    (object as RegExp).lastIndex = reader.value() as number;
  },
  edges: (object, edge) => edge('.lastIndex', descriptorOf(object, 'lastIndex')?.value),
};

const unbox = [
  receiverFirst(Number.prototype.valueOf),
  receiverFirst(String.prototype.valueOf),
  receiverFirst(Boolean.prototype.valueOf),
  receiverFirst(Symbol.prototype.valueOf),
  receiverFirst(BigInt.prototype.valueOf),
] as ((value: never) => unknown)[];

function primitiveOf(object: object): unknown {
  for (let i = 0; i < unbox.length; i++) {
    try {
      return unbox[i]?.(object as never);
    } catch {
      // another type
    }
  }
  return undefined;
}

function isCharacter(object: object, key: string): boolean {
  const text = primitiveOf(object);
  return (
    typeof text === 'string' &&
    (key === 'length' || `${(key as unknown as number) >>> 0}` === key) &&
    Number(key) < text.length
  );
}

export const boxed: Kind = {
  tag: FIRST_KIND + 10,
  name: 'boxed primitive',
  prototype: undefined,
  is: (object, { types }) => types.isBoxedPrimitive(object),
  bare: () => false,
  owns: (object, key) => (key === 'length' && typeof primitiveOf(object) === 'string') || isCharacter(object, key),
  header: (writer, object) => writer.value(primitiveOf(object)),
  allocate(reader) {
    const at = reader.at;
    const value = reader.value();
    if (value === undefined || value === null || typeof value === 'object' || typeof value === 'function')
      throw reader.corrupt('a primitive value', at);
    return Object(value) as object;
  },
};

const sloppyArguments = new Function('return arguments') as () => object;
function strictArguments(...args: unknown[]): object;
function strictArguments(): object {
  return arguments;
}

/** `arguments`: a mapped one comes back unmapped from its parameters, whose function has returned or keeps them in a frame. */
export const args: Kind = {
  tag: FIRST_KIND + 11,
  name: 'arguments',
  prototype: undefined,
  is: (object, { types }) => types.isArgumentsObject(object),
  bare: () => false,
  born: ['length', 'callee'],
  header: (writer, object) => writer.byte(descriptorOf(object, 'callee')?.get === undefined ? 1 : 0),
  allocate: (reader) => (reader.byte() === 1 ? sloppyArguments() : strictArguments()),
};

export const VALUE_KINDS: readonly Kind[] = [date, regexp, boxed, args];
