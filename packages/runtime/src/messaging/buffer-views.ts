// The buffer view classes whose instances pass between actors. Instances of the program's subclasses do not.

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

/** The classes that this version of Node has, by the number on the wire. */
export const viewTypes: readonly ViewConstructor[] = VIEW_NAMES.flatMap((name) => {
  const type = (globalThis as unknown as Record<string, ViewConstructor | undefined>)[name];
  return type === undefined ? [] : [type];
});

/** Indices into `viewTypes`, by prototype. */
export const viewNumbers: ReadonlyMap<unknown, number> = new Map(
  viewTypes.map((type, number) => [type.prototype, number]),
);

export const nodeBufferPrototype: object = Buffer.prototype;
