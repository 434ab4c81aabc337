// Tags, each the first byte of a value (docs/internals/transport.md).

/** Integer from 0 to 127, which is part of the tag. */
export const SMALL = 0x80;
/** String of up to 63 characters. The length is part of the tag; the characters follow, one byte each. */
export const SHORT = 0x40;
export const SHORT_LIMIT = 64;

export const UNDEFINED = 0x00;
export const NULL = 0x01;
export const TRUE = 0x02;
export const FALSE = 0x03;
export const INTEGER = 0x04;
export const DOUBLE = 0x05;
export const NARROW = 0x06;
export const WIDE = 0x07;
export const BIGINT = 0x08;
export const REGISTERED_SYMBOL = 0x09;
export const KNOWN_SYMBOL = 0x0a;
export const BACK_REFERENCE = 0x0b;
export const REFERENCE = 0x0c;

export const SHAPED = 0x10;
export const NEW_SHAPE = 0x11;
export const OBJECT = 0x12;
export const BARE_OBJECT = 0x13;
export const ARRAY = 0x14;
export const SPARSE = 0x15;
/** A missing element of an array. */
export const HOLE = 0x16;
export const ODD_ARRAY = 0x17;
export const MAP = 0x18;
export const SET = 0x19;
export const DATE = 0x1a;
export const REGEXP = 0x1b;
export const BOXED = 0x1c;
export const ERROR = 0x1d;
export const BUFFER = 0x1e;
export const RESIZABLE = 0x1f;
/** An ArrayBuffer in a parcel. */
export const ENCLOSED = 0x20;
export const VIEW = 0x21;
export const NODE_BUFFER = 0x22;
export const ENCLOSED_NODE_BUFFER = 0x29;
/** Objects whose contents follow the arguments. */
export const LATER_OBJECT = 0x23;
export const LATER_BARE = 0x24;
export const LATER_ARRAY = 0x25;
export const LATER_MAP = 0x26;
export const LATER_SET = 0x27;

/** Forms of a method name. */
export const NO_CALL = 0;
export const NEW_CALL = 1;
export const CALL_BY_NAME = 2;
export const FIRST_CALL = 3;

/** Maximum depth of nesting. The contents of deeper objects follow the arguments. */
export const MAX_DEPTH = 100;
/** Maximum depth of values that cannot be deferred: errors and their causes. Deeper ones are refused. */
export const MAX_ERROR_DEPTH = 300;
/** Maximum number of keys of a shape. */
export const MAX_SHAPE_KEYS = 64;
/** Maximum numbers of calls and shapes, beyond which they are reset. */
export const MAX_CALLS = 4096;
export const MAX_SHAPES = 1024;

/** Prototypes of errors whose class needs no name, by the number on the wire. */
export const ERRORS: readonly object[] = [
  Error,
  TypeError,
  RangeError,
  SyntaxError,
  ReferenceError,
  EvalError,
  URIError,
  AggregateError,
  DOMException,
].map((type) => type.prototype as object);
/** Index of DOMException, whose message and name are internal. */
export const DOM_EXCEPTION = ERRORS.length - 1;
/** Mark after the last entry of a Map or member of a Set. */
export const END = 0x28;
