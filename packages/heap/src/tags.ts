// The first byte of every value. docs/internals/formats.md is the contract; a change here is a new FORMAT_VERSION.

export const FORMAT_VERSION = 5;
/** "TTHP" */
export const MAGIC = [0x54, 0x54, 0x48, 0x50] as const;
export const HEADER_LENGTH = 8;
export const TRAILER_LENGTH = 8;

export const UNDEFINED = 0x00;
export const NULL = 0x01;
export const TRUE = 0x02;
export const FALSE = 0x03;
/** Followed by a zigzag varint of 32 bits. */
export const INTEGER = 0x04;
export const DOUBLE = 0x05;
export const BIGINT = 0x06;
/** Length in bytes, then one byte per character below U+0100. */
export const NARROW_STRING = 0x07;
/** Length in code units, then two bytes each. */
export const WIDE_STRING = 0x08;
/** A repeated string longer than `LONG_STRING_LENGTH`, by its number among such strings. */
export const STRING_REFERENCE = 0x09;
/** A repeated object, by its number among the shared objects. */
export const REFERENCE = 0x0a;
/** A known object, by name. */
export const KNOWN = 0x0b;
export const HOLE = 0x0c;
/** The contents of the next node follow later, in the order of these marks. */
export const DEFERRED = 0x0d;
/** Defines a family by its prototype. The value follows. */
export const FAMILY = 0x0e;
/** Defines a shape. An object of it follows. */
export const SHAPE = 0x0f;
export const OBJECT = 0x10;
export const REGISTERED_SYMBOL = 0x11;
export const SYMBOL = 0x12;
export const SYMBOL_REFERENCE = 0x13;
/** A host object, by its descriptor. */
export const EXTERNAL = 0x14;

/** An object that an adapter has taken apart. */
export const ADAPTED = 0x15;

/** Bare objects of a kind: standard prototype, initial properties. */
export const FIRST_KIND = 0x20;
/** Other objects of a kind: flags, family, and the data that the flags announce. */
export const FIRST_VARIANT = 0x40;
export const VARIANT_OFFSET = FIRST_VARIANT - FIRST_KIND;
/** Narrow strings of up to 31 characters. */
export const SHORT_STRING = 0x60;
export const SHORT_STRING_LIMIT = 32;
/** 0 … 127 */
export const SMALL_INTEGER = 0x80;

/** Length above which a string is written only once. */
export const LONG_STRING_LENGTH = 40;

// Flags of a variant.
/** Own properties follow the contents. */
export const HAS_OWN_PROPERTIES = 1;
export const NOT_EXTENSIBLE = 2;
/** The prototype follows the contents, and the family does not determine it. */
export const LATE_PROTOTYPE = 8;

// Attributes of a property.
export const WRITABLE = 1;
export const ENUMERABLE = 2;
export const CONFIGURABLE = 4;
export const ACCESSOR = 8;

// Families without a definition.
export const OBJECT_FAMILY = 0;
export const ARRAY_FAMILY = 1;
export const NULL_PROTOTYPE_FAMILY = 2;
/** All callable objects with any prototype. */
export const FUNCTION_FAMILY = 3;
/** Proxies, whose prototypes are not read. */
export const PROXY_FAMILY = 4;
/** Objects met before their prototype is complete. */
export const STRAY_FAMILY = 5;
export const FIRST_STANDARD_FAMILY = 6;

/** Nesting depth of values from which contents are deferred. */
export const MAX_DEPTH = 200;
/** Maximum nesting of headers. */
export const MAX_HEADER_DEPTH = 400;
/** Number of entries in a piece of a larger container. Pieces are deferred. */
export const PIECE_ENTRIES = 8192;
/** Length up to which trailing zeros and other fillers of long arrays and buffers are left out and restored. */
const MAX_TRIMMED_LENGTH = 1 << 25;

export function isTrimmed(length: number): boolean {
  return length > PIECE_ENTRIES && length <= MAX_TRIMMED_LENGTH;
}

/** Replaces the attributes of a deleted property. */
export const DELETED = 0x80;

/** Replaces the attributes of V8's `stack`. Its text follows. */
export const STACK = 0x40;
