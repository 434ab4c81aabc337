// Compares two graphs: identity, prototypes, attributes, order of keys, hidden state. Independent oracle for writer and
// reader that shares no code with them. Returns the first difference with its path.
import { types } from 'node:util';

type Path = string;

export function firstDifference(
  a: unknown,
  b: unknown,
  same: (value: object) => boolean = () => false,
): string | undefined {
  const copyByOriginal = new Map<object | symbol, object | symbol>();
  const originalByCopy = new Map<object | symbol, object | symbol>();
  const queue: [unknown, unknown, Path][] = [[a, b, 'root']];

  function primitive(x: unknown, y: unknown, path: Path): string | undefined {
    return Object.is(x, y) ? undefined : `${path}: ${show(x)} became ${show(y)}`;
  }

  function pair(x: unknown, y: unknown, path: Path): string | undefined {
    const isNode = (value: unknown): value is object | symbol =>
      (typeof value === 'object' && value !== null) ||
      typeof value === 'function' ||
      (typeof value === 'symbol' && Symbol.keyFor(value) === undefined && !isWellKnown(value));
    if (!isNode(x) || !isNode(y)) return primitive(x, y, path);
    if (typeof x !== typeof y) return `${path}: a ${typeof x} became a ${typeof y}`;
    if (copyByOriginal.has(x) || originalByCopy.has(y))
      return copyByOriginal.get(x) === y && originalByCopy.get(y) === x ? undefined : `${path}: identity was not kept`;
    copyByOriginal.set(x, y);
    originalByCopy.set(y, x);
    if (typeof x === 'symbol' || typeof y === 'symbol')
      return primitive((x as symbol).description, (y as symbol).description, `${path}.description`);
    if (x === y) return same(x) || isIntrinsic(x) ? undefined : `${path}: is the same object, not a copy`;
    if (isIntrinsic(x)) return `${path}: an intrinsic became a copy`;
    return nodes(x, y, path);
  }

  function nodes(x: object, y: object, path: Path): string | undefined {
    const brand = brandOf(x);
    if (brand !== brandOf(y)) return `${path}: ${brand} became ${brandOf(y)}`;
    queue.push([Object.getPrototypeOf(x), Object.getPrototypeOf(y), `${path}.[[Prototype]]`]);
    if (Object.isExtensible(x) !== Object.isExtensible(y)) return `${path}: extensibility`;
    const keys = Reflect.ownKeys(x);
    const others = Reflect.ownKeys(y);
    if (keys.length !== others.length)
      return `${path}: keys ${keys.map(String).join()} became ${others.map(String).join()}`;
    for (const [i, key] of keys.entries()) {
      const other = others[i]!;
      if (typeof key !== typeof other || (typeof key === 'string' && key !== other))
        return `${path}: key ${String(key)} became ${String(other)}`;
      const step = `${path}.${String(key)}`;
      queue.push([key, other, `${step} (key)`]);
      const descriptor = Object.getOwnPropertyDescriptor(x, key)!;
      const otherDescriptor = Object.getOwnPropertyDescriptor(y, other)!;
      for (const name of ['writable', 'enumerable', 'configurable'] as const)
        if (descriptor[name] !== otherDescriptor[name])
          return `${step}: ${name} ${descriptor[name]} became ${otherDescriptor[name]}`;
      if (key === 'stack' && descriptor.get !== undefined)
        queue.push([Reflect.apply(descriptor.get, x, []), Reflect.apply(otherDescriptor.get!, y, []), step]);
      queue.push(
        [descriptor.value, otherDescriptor.value, step],
        [descriptor.get, otherDescriptor.get, `${step} get`],
        [descriptor.set, otherDescriptor.set, `${step} set`],
      );
    }
    hidden(brand, x as never, y as never, path);
    return undefined;
  }

  function hidden(brand: string, x: never, y: never, path: Path): void {
    const list = (value: unknown): unknown[] => {
      switch (brand) {
        case 'Map':
          return [...Map.prototype.entries.call(value as Map<unknown, unknown>)].flat();
        case 'Set':
          return [...Set.prototype.values.call(value as Set<unknown>)];
        case 'Date':
          return [Date.prototype.getTime.call(value)];
        case 'RegExp':
          return [(value as RegExp).source, (value as RegExp).flags];
        case 'boxed':
          return [Object.prototype.valueOf.call(value) === value ? unboxed(value as object) : value];
        case 'ArrayBuffer': {
          const buffer = value as ArrayBuffer;
          return [buffer.byteLength, buffer.resizable, buffer.maxByteLength, Buffer.from(buffer).toString('hex')];
        }
        case 'view': {
          const view = value as Uint8Array;
          return [view.buffer, view.byteOffset, view.byteLength];
        }
        case 'WeakRef':
          return [(value as WeakRef<object>).deref()];
        default:
          return [];
      }
    };
    const left = list(x);
    const right = list(y);
    queue.push([left.length, right.length, `${path} size`]);
    left.forEach((value, i) => queue.push([value, right[i], `${path}{${i}}`]));
  }

  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const found = pair(...next);
    if (found !== undefined) return found;
  }
  return undefined;
}

function unboxed(value: object): unknown {
  for (const type of [Number, String, Boolean, Symbol, BigInt]) {
    try {
      return (type.prototype.valueOf as () => unknown).call(value);
    } catch {
      // another type
    }
  }
  return undefined;
}

function brandOf(value: object): string {
  if (typeof value === 'function') return 'function';
  if (Array.isArray(value)) return 'Array';
  if (types.isMap(value)) return 'Map';
  if (types.isSet(value)) return 'Set';
  if (types.isDate(value)) return 'Date';
  if (types.isRegExp(value)) return 'RegExp';
  if (types.isNativeError(value)) return 'Error';
  if (types.isBoxedPrimitive(value)) return 'boxed';
  if (types.isAnyArrayBuffer(value)) return 'ArrayBuffer';
  if (ArrayBuffer.isView(value)) return 'view';
  if (types.isWeakMap(value)) return 'WeakMap';
  if (types.isWeakSet(value)) return 'WeakSet';
  if (value instanceof WeakRef) return 'WeakRef';
  if (types.isArgumentsObject(value)) return 'arguments';
  return 'object';
}

const intrinsics = new Set<object>();
function collect(value: unknown): void {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return;
  if (intrinsics.has(value)) return;
  intrinsics.add(value);
  for (const key of Reflect.ownKeys(value)) {
    const descriptor = Object.getOwnPropertyDescriptor(value, key)!;
    for (const each of [descriptor.value, descriptor.get, descriptor.set]) collect(each);
  }
  collect(Object.getPrototypeOf(value));
}
for (const name of Object.getOwnPropertyNames(globalThis)) {
  const descriptor = Object.getOwnPropertyDescriptor(globalThis, name)!;
  if (/^[A-Z]/.test(name)) collect(descriptor.value);
}
const stack = Object.getOwnPropertyDescriptor(new Error('sample'), 'stack')!;
collect(stack.get);
collect(stack.set);

function isIntrinsic(value: object): boolean {
  return intrinsics.has(value);
}

function isWellKnown(value: symbol): boolean {
  return Object.getOwnPropertyNames(Symbol).some(
    (name) => (Symbol as unknown as Record<string, unknown>)[name] === value,
  );
}

function show(value: unknown): string {
  return typeof value === 'object' || typeof value === 'function' ? typeof value : String(value);
}
