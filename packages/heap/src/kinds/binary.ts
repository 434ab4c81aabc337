// Buffers and views. Views share a buffer by identity, except for slices of Node's pools (buffer-pools.ts).

import {
  passesBrandCheck,
  bufferDetached,
  bufferLength,
  bufferMaxByteLength,
  bufferResizable,
  copyInto,
  dataViewBuffer,
  dataViewLength,
  dataViewOffset,
  hasNoStringKeys,
  namesOf,
  transfer,
  typedArrayBuffer,
  typedArrayLength,
  typedArrayOffset,
  typedArrayTag,
} from '../intrinsics.ts';
import { createViewMatcher } from '../exemplars.ts';
import { CaptureRefusal } from '../heap-error.ts';
import { FIRST_KIND, isTrimmed, UNDEFINED } from '../tags.ts';
import type { ObjectKind } from '../object-kind.ts';
import type { HeapReader } from '../heap-reader.ts';
import type { HeapWriter } from '../heap-writer.ts';

const FIXED = 0;
const RESIZABLE = 1;
const POOL = 2;
// Forms of transferred buffers, which have no content.
const DETACHED = 3;
const DETACHED_RESIZABLE = 4;

export const arrayBufferKind: ObjectKind = {
  tag: FIRST_KIND + 13,
  name: 'ArrayBuffer',
  prototype: ArrayBuffer.prototype,
  matches: (object) => passesBrandCheck(bufferLength, object),
  isBare: hasNoStringKeys,
  writeHeader(writer, object) {
    requireUnshared(object, object);
    const buffer = object as ArrayBuffer;
    if (bufferDetached(buffer)) return writer.byte(bufferResizable(buffer) ? DETACHED_RESIZABLE : DETACHED);
    if (writer.coverPoolSlice(buffer, 0, bufferLength(buffer))) return writer.byte(POOL);
    const isResizable = bufferResizable(buffer);
    writer.byte(isResizable ? RESIZABLE : FIXED);
    const length = bufferLength(buffer);
    writer.varint(length);
    if (isResizable) writer.varint(bufferMaxByteLength(buffer));
    if (!isTrimmed(length)) return writer.blob(new Uint8Array(buffer));
    const end = trimmedLength(buffer, length);
    writer.varint(end);
    writer.blob(new Uint8Array(buffer, 0, end));
  },
  allocate(reader) {
    const start = reader.offset;
    const form = reader.byte();
    if (form > DETACHED_RESIZABLE) throw reader.corrupt('the form of a buffer', start);
    if (form >= DETACHED) return createDetachedLater(reader, form);
    if (form === POOL) return reader.nextPoolSlice().buffer;
    const length = reader.varint();
    const maxLength = form === RESIZABLE ? reader.varint() : length;
    if (maxLength < length) throw reader.corrupt('a maximum above the length', start);
    reader.takeMemory(maxLength);
    const end = isTrimmed(length) ? reader.index(length + 1, 'the number of bytes') : length;
    reader.reserveItems(end, 1, 'bytes', start);
    const buffer = reader.guard(start, () =>
      form === RESIZABLE ? new ArrayBuffer(length, { maxByteLength: maxLength }) : new ArrayBuffer(length),
    );
    copyInto(new Uint8Array(buffer), reader.span(end), 0);
    return buffer;
  },
};

/** Returns the length without trailing zero bytes, rounded up by at most three bytes. */
function trimmedLength(buffer: ArrayBuffer, length: number): number {
  const bytes = new Uint8Array(buffer);
  let end = length;
  while ((end & 3) !== 0 && bytes[end - 1] === 0) end--;
  if ((end & 3) !== 0) return end;
  let words = end >>> 2;
  const contents = new Int32Array(buffer, 0, words);
  while (words > 0 && contents[words - 1] === 0) words--;
  return words << 2;
}

/** Creates a buffer that is detached at the end of the read, because views need it before. */
function createDetachedLater(reader: HeapReader, form: number): ArrayBuffer {
  const buffer = form === DETACHED ? new ArrayBuffer(0) : new ArrayBuffer(0, { maxByteLength: 0 });
  reader.runAtEnd(() => void transfer(buffer));
  return buffer;
}

/** Classes of views, in the order of their numbers in the format. */
const VIEW_TYPES: readonly (new (buffer: ArrayBufferLike, offset?: number, length?: number) => ArrayBufferView)[] = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
  ...('Float16Array' in globalThis
    ? [(globalThis as unknown as { Float16Array: typeof Float32Array }).Float16Array]
    : []),
];
const isUnmodifiedView = createViewMatcher(VIEW_TYPES as never);
const VIEW_NAMES = VIEW_TYPES.map((view) => view.name);
const ELEMENT_SIZES = VIEW_TYPES.map((view) => (view as unknown as typeof Int8Array).BYTES_PER_ELEMENT);

function isIndexKey(_object: object, key: string): boolean {
  return `${(key as unknown as number) >>> 0}` === key;
}

function requireUnshared(object: object, buffer: object): void {
  if (!passesBrandCheck(bufferLength, buffer)) {
    throw new CaptureRefusal(
      object,
      'it shares memory with other threads (a SharedArrayBuffer)',
      'create shared memory in device(() => …), or store a copy of its contents',
    );
  }
}

/**
 * Returns whether a view tracks the buffer's length. Tracking is not observable, so a view that ends with the buffer
 * counts as tracking.
 */
function isLengthTracking(buffer: ArrayBuffer, offset: number, bytes: number, size: number): boolean {
  return bufferResizable(buffer) && offset + bytes + size > bufferLength(buffer);
}

function writeView(
  writer: HeapWriter,
  object: object,
  buffer: ArrayBuffer,
  offset: number,
  length: number,
  size: number,
): void {
  requireUnshared(object, buffer);
  if (bufferDetached(buffer)) {
    writer.shallow(buffer);
    writer.varint(0);
    return writer.varint(0);
  }
  if (writer.coverPoolSlice(buffer, offset, length * size)) {
    writer.byte(UNDEFINED);
    return writer.varint(length + 1);
  }
  writer.shallow(buffer);
  writer.varint(offset);
  writer.varint(isLengthTracking(buffer, offset, length * size, size) ? 0 : length + 1);
}

function readView(reader: HeapReader, type: (typeof VIEW_TYPES)[number]): object {
  const start = reader.offset;
  const viewBuffer = reader.value();
  if (viewBuffer !== undefined && !passesBrandCheck(bufferLength, viewBuffer))
    throw reader.corrupt('an ArrayBuffer', start);
  const { buffer, offset } =
    viewBuffer === undefined ? reader.nextPoolSlice() : { buffer: viewBuffer as ArrayBuffer, offset: reader.varint() };
  const length = reader.varint();
  return reader.guard(start, () => (length === 0 ? new type(buffer, offset) : new type(buffer, offset, length - 1)));
}

export const typedArrayKind: ObjectKind = {
  tag: FIRST_KIND + 14,
  name: 'typed array',
  prototype: undefined,
  matches: (object) => typedArrayTag(object) !== undefined,
  isBare: (object, ports) => isUnmodifiedView(object, ports) || namesOf(object).length === typedArrayLength(object),
  isAccountedFor: isIndexKey,
  writeHeader(writer, object) {
    const tag = typedArrayTag(object);
    let number = 0;
    while (VIEW_NAMES[number] !== tag) number++;
    writer.byte(number);
    const buffer = typedArrayBuffer(object) as ArrayBuffer;
    writeView(
      writer,
      object,
      buffer,
      typedArrayOffset(object),
      typedArrayLength(object),
      ELEMENT_SIZES[number] as number,
    );
  },
  allocate(reader) {
    const start = reader.offset;
    const type = VIEW_TYPES[reader.byte()];
    if (type === undefined) throw reader.corrupt('the number of a typed array', start);
    return readView(reader, type);
  },
  edges: (object, edge) => edge('.buffer', typedArrayBuffer(object)),
};

export const dataViewKind: ObjectKind = {
  tag: FIRST_KIND + 15,
  name: 'DataView',
  prototype: DataView.prototype,
  matches: (object) => passesBrandCheck(dataViewBuffer, object),
  isBare: hasNoStringKeys,
  writeHeader(writer, object) {
    const buffer = dataViewBuffer(object) as ArrayBuffer;
    requireUnshared(object, buffer);
    // A view of a detached buffer throws when asked for its offset.
    if (bufferDetached(buffer)) return writeView(writer, object, buffer, 0, 0, 1);
    writeView(writer, object, buffer, dataViewOffset(object), dataViewLength(object), 1);
  },
  allocate: (reader) => readView(reader, DataView as never),
  edges: (object, edge) => edge('.buffer', dataViewBuffer(object)),
};

export const BINARY_KINDS: readonly ObjectKind[] = [arrayBufferKind, typedArrayKind, dataViewKind];
