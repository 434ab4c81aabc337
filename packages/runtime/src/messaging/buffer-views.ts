// The classes of views on memory that pass between actors. Those that a program derives from them are no plain data.

type ViewConstructor = new (buffer: ArrayBuffer, offset?: number, length?: number) => object;

const VIEW_NAMES = [
  'DataView',
  'Int8Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'BigInt64Array',
  'BigUint64Array',
  'Float16Array',
  'Float32Array',
  'Float64Array',
] as const;

/** What this version of Node has of them; a place in the list is their number on the wire. */
export const viewTypes: readonly ViewConstructor[] = VIEW_NAMES.flatMap((name) => {
  const type = (globalThis as unknown as Record<string, ViewConstructor | undefined>)[name];
  return type === undefined ? [] : [type];
});

/** Places in `viewTypes` by prototypes. */
export const viewNumbers: ReadonlyMap<unknown, number> = new Map(
  viewTypes.map((type, number) => [type.prototype, number]),
);

export const nodeBufferPrototype: object = Buffer.prototype;
