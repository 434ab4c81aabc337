// The first byte of every value. docs/formats.md is the contract; a change here is a new FORMAT_VERSION.

export const FORMAT_VERSION = 5;
/** "TTHP" */
export const MAGIC = [0x54, 0x54, 0x48, 0x50] as const;
export const HEADER_LENGTH = 8;
export const TRAILER_LENGTH = 8;

export const UNDEFINED = 0x00;
export const NULL = 0x01;
export const TRUE = 0x02;
export const FALSE = 0x03;
/** Zigzag varint of a 32-bit integer. */
export const INTEGER = 0x04;
export const DOUBLE = 0x05;
export const BIGINT = 0x06;
/** Length in bytes; one byte a character, all below U+0100. */
export const NARROW_STRING = 0x07;
/** Length in code units; two bytes each. */
export const WIDE_STRING = 0x08;
/** A string longer than `LONG_STRING_LENGTH` again: its number among those. */
export const STRING_REFERENCE = 0x09;
/** An object written before: its number among the shared ones. */
export const REFERENCE = 0x0a;
/** Something that exists in every realm, by name. */
export const KNOWN = 0x0b;
export const HOLE = 0x0c;
/** The node that follows gets its contents later, in the order of these marks. */
export const DEFERRED = 0x0d;
/** Defines a family of objects by their prototype; the value itself follows. */
export const FAMILY = 0x0e;
/** Defines a shape; an object of it follows. */
export const SHAPE = 0x0f;
export const OBJECT = 0x10;
export const REGISTERED_SYMBOL = 0x11;
export const SYMBOL = 0x12;
export const SYMBOL_REFERENCE = 0x13;
/** Something outside the graph: the descriptor that stands for it. */
export const EXTERNAL = 0x14;

/** An object that an adapter takes apart. */
export const ADAPTED = 0x15;

/** Kinds with the prototype and the properties that objects of the kind are born with. */
export const FIRST_KIND = 0x20;
/** The same kinds with a family, flags, and what the flags announce. */
export const FIRST_VARIANT = 0x40;
export const VARIANT_OFFSET = FIRST_VARIANT - FIRST_KIND;
/** Narrow strings of up to 31 characters. */
export const SHORT_STRING = 0x60;
export const SHORT_STRING_LIMIT = 32;
/** 0 … 127 */
export const SMALL_INTEGER = 0x80;

/** Strings longer than this are written once. */
export const LONG_STRING_LENGTH = 40;

// Flags of a variant.
/** Own properties follow the contents. */
export const HAS_OWN_PROPERTIES = 1;
export const NOT_EXTENSIBLE = 2;
/** The prototype is a value among the contents; the family only counts. */
export const LATE_PROTOTYPE = 8;

// Attributes of a property.
export const WRITABLE = 1;
export const ENUMERABLE = 2;
export const CONFIGURABLE = 4;
export const ACCESSOR = 8;

// Families that need no definition.
export const OBJECT_FAMILY = 0;
export const ARRAY_FAMILY = 1;
export const NULL_PROTOTYPE_FAMILY = 2;
/** Everything callable, whatever its prototype. */
export const FUNCTION_FAMILY = 3;
/** Proxies are not asked for their prototype. */
export const PROXY_FAMILY = 4;
/** Objects whose prototype is not finished when they are met. */
export const STRAY_FAMILY = 5;
export const FIRST_STANDARD_FAMILY = 6;

/** How deep values nest inside each other before contents are deferred. */
export const MAX_DEPTH = 200;
/** How deep headers may need each other. */
export const MAX_HEADER_DEPTH = 400;
/** Containers with more entries are deferred and written in pieces of this size. */
export const PIECE_ENTRIES = 8192;
/** Of arrays and buffers longer than a piece, up to here, what stands at the end and says nothing is left out. A reader makes them whole. */
const MAX_TRIMMED_LENGTH = 1 << 25;

export function isTrimmed(length: number): boolean {
  return length > PIECE_ENTRIES && length <= MAX_TRIMMED_LENGTH;
}

/** In a property list, in the place of attributes: the property is to be deleted. */
export const DELETED = 0x80;

/** In the place of attributes: V8's `stack`; its text follows. */
export const STACK = 0x40;
