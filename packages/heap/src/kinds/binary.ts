// Buffers and views. Views share their buffer by identity, but for those that Node cuts out of pools (pools.ts).

import {
  accepts,
  bufferDetached,
  bufferLength,
  bufferMaximum,
  bufferResizable,
  copyInto,
  dataViewBuffer,
  dataViewLength,
  dataViewOffset,
  hasNoNames,
  namesOf,
  transfer,
  typedArrayBuffer,
  typedArrayLength,
  typedArrayOffset,
  typedArrayTag,
} from '../intrinsics.ts';
import { exemplarsOf } from '../exemplars.ts';
import { Refusal } from '../heap-error.ts';
import { FIRST_KIND, isTrimmed, UNDEFINED } from '../tags.ts';
import type { Kind } from '../kind.ts';
import type { HeapReader } from '../reader.ts';
import type { HeapWriter } from '../writer.ts';

const FIXED = 0;
const RESIZABLE = 1;
const POOL = 2;
/** Transferred away: nothing is left but what it was. */
const DETACHED = 3;
const DETACHED_RESIZABLE = 4;

export const arrayBuffer: Kind = {
  tag: FIRST_KIND + 13,
  name: 'ArrayBuffer',
  prototype: ArrayBuffer.prototype,
  is: (object) => accepts(bufferLength, object),
  bare: hasNoNames,
  header(writer, object) {
    requireLocal(object, object);
    const buffer = object as ArrayBuffer;
    if (bufferDetached(buffer)) return writer.byte(bufferResizable(buffer) ? DETACHED_RESIZABLE : DETACHED);
    if (writer.cover(buffer, 0, bufferLength(buffer))) return writer.byte(POOL);
    const isResizable = bufferResizable(buffer);
    writer.byte(isResizable ? RESIZABLE : FIXED);
    const length = bufferLength(buffer);
    writer.varint(length);
    if (isResizable) writer.varint(bufferMaximum(buffer));
    if (!isTrimmed(length)) return writer.blob(new Uint8Array(buffer));
    const end = endOf(buffer, length);
    writer.varint(end);
    writer.blob(new Uint8Array(buffer, 0, end));
  },
  allocate(reader) {
    const at = reader.at;
    const form = reader.byte();
    if (form > DETACHED_RESIZABLE) throw reader.corrupt('the form of a buffer', at);
    if (form >= DETACHED) return detachedLater(reader, form);
    if (form === POOL) return reader.slice().buffer;
    const length = reader.varint();
    const maximum = form === RESIZABLE ? reader.varint() : length;
    if (maximum < length) throw reader.corrupt('a maximum above the length', at);
    reader.take(maximum);
    const end = isTrimmed(length) ? reader.index(length + 1, 'the number of bytes') : length;
    reader.reserve(end, 1, 'bytes', at);
    const buffer = reader.guarded(at, () =>
      form === RESIZABLE ? new ArrayBuffer(length, { maxByteLength: maximum }) : new ArrayBuffer(length),
    );
    copyInto(new Uint8Array(buffer), reader.span(end), 0);
    return buffer;
  },
};

/** Behind the last byte that is not zero, or up to three more. */
function endOf(buffer: ArrayBuffer, length: number): number {
  const bytes = new Uint8Array(buffer);
  let end = length;
  while ((end & 3) !== 0 && bytes[end - 1] === 0) end--;
  if ((end & 3) !== 0) return end;
  let words = end >>> 2;
  const contents = new Int32Array(buffer, 0, words);
  while (words > 0 && contents[words - 1] === 0) words--;
  return words << 2;
}

/** Views can only be made while it is there. */
function detachedLater(reader: HeapReader, form: number): ArrayBuffer {
  const buffer = form === DETACHED ? new ArrayBuffer(0) : new ArrayBuffer(0, { maxByteLength: 0 });
  reader.atEnd(() => void transfer(buffer));
  return buffer;
}

/** In the order of their numbers in the format. */
const VIEWS: readonly (new (buffer: ArrayBufferLike, offset?: number, length?: number) => ArrayBufferView)[] = [
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
const isAsMade = exemplarsOf(VIEWS as never);
const NAMES = VIEWS.map((view) => view.name);
const SIZES = VIEWS.map((view) => (view as unknown as typeof Int8Array).BYTES_PER_ELEMENT);

function isIndex(_object: object, key: string): boolean {
  return `${(key as unknown as number) >>> 0}` === key;
}

function requireLocal(object: object, buffer: object): void {
  if (!accepts(bufferLength, buffer)) {
    throw new Refusal(
      object,
      'it shares memory with other threads (a SharedArrayBuffer)',
      'keep shared memory behind a device, or copy what you need of it',
    );
  }
}

/** Whether a view follows its buffer. Nothing says so: one that ends with a buffer that can grow is taken for one, and comes back following it. */
function isTracking(buffer: ArrayBuffer, offset: number, bytes: number, size: number): boolean {
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
  requireLocal(object, buffer);
  if (bufferDetached(buffer)) {
    writer.shallow(buffer);
    writer.varint(0);
    return writer.varint(0);
  }
  if (writer.cover(buffer, offset, length * size)) {
    writer.byte(UNDEFINED);
    return writer.varint(length + 1);
  }
  writer.shallow(buffer);
  writer.varint(offset);
  writer.varint(isTracking(buffer, offset, length * size, size) ? 0 : length + 1);
}

function readView(reader: HeapReader, type: (typeof VIEWS)[number]): object {
  const at = reader.at;
  const given = reader.value();
  if (given !== undefined && !accepts(bufferLength, given)) throw reader.corrupt('an ArrayBuffer', at);
  const { buffer, offset } =
    given === undefined ? reader.slice() : { buffer: given as ArrayBuffer, offset: reader.varint() };
  const length = reader.varint();
  return reader.guarded(at, () => (length === 0 ? new type(buffer, offset) : new type(buffer, offset, length - 1)));
}

export const typedArray: Kind = {
  tag: FIRST_KIND + 14,
  name: 'typed array',
  prototype: undefined,
  is: (object) => typedArrayTag(object) !== undefined,
  bare: (object, ports) => isAsMade(object, ports) || namesOf(object).length === typedArrayLength(object),
  owns: isIndex,
  header(writer, object) {
    const tag = typedArrayTag(object);
    let number = 0;
    while (NAMES[number] !== tag) number++;
    writer.byte(number);
    const buffer = typedArrayBuffer(object) as ArrayBuffer;
    writeView(writer, object, buffer, typedArrayOffset(object), typedArrayLength(object), SIZES[number] as number);
  },
  allocate(reader) {
    const at = reader.at;
    const type = VIEWS[reader.byte()];
    if (type === undefined) throw reader.corrupt('the number of a typed array', at);
    return readView(reader, type);
  },
  edges: (object, edge) => edge('.buffer', typedArrayBuffer(object)),
};

export const dataView: Kind = {
  tag: FIRST_KIND + 15,
  name: 'DataView',
  prototype: DataView.prototype,
  is: (object) => accepts(dataViewBuffer, object),
  bare: hasNoNames,
  header(writer, object) {
    const buffer = dataViewBuffer(object) as ArrayBuffer;
    requireLocal(object, buffer);
    // One of a detached buffer refuses to tell its place.
    if (bufferDetached(buffer)) return writeView(writer, object, buffer, 0, 0, 1);
    writeView(writer, object, buffer, dataViewOffset(object), dataViewLength(object), 1);
  },
  allocate: (reader) => readView(reader, DataView as never),
  edges: (object, edge) => edge('.buffer', dataViewBuffer(object)),
};

export const BINARY_KINDS: readonly Kind[] = [arrayBuffer, typedArray, dataView];
