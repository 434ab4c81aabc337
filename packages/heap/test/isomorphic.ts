// Whether two graphs are the same but for where they live: identity, prototypes, attributes, order of keys, hidden state. An
// independent oracle for the writer and reader: it shares no code with them. Answers the first difference, with its path.
import { types } from 'node:util';

type Path = string;

export function difference(a: unknown, b: unknown, same: (value: object) => boolean = () => false): string | undefined {
  const there = new Map<object | symbol, object | symbol>();
  const back = new Map<object | symbol, object | symbol>();
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
    if (there.has(x) || back.has(y))
      return there.get(x) === y && back.get(y) === x ? undefined : `${path}: identity was not kept`;
    there.set(x, y);
    back.set(y, x);
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
      const d = Object.getOwnPropertyDescriptor(x, key)!;
      const e = Object.getOwnPropertyDescriptor(y, other)!;
      for (const name of ['writable', 'enumerable', 'configurable'] as const)
        if (d[name] !== e[name]) return `${step}: ${name} ${d[name]} became ${e[name]}`;
      if (key === 'stack' && d.get !== undefined)
        queue.push([Reflect.apply(d.get, x, []), Reflect.apply(e.get!, y, []), step]);
      queue.push([d.value, e.value, step], [d.get, e.get, `${step} get`], [d.set, e.set, `${step} set`]);
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
    const d = Object.getOwnPropertyDescriptor(value, key)!;
    for (const each of [d.value, d.get, d.set]) collect(each);
  }
  collect(Object.getPrototypeOf(value));
}
for (const name of Object.getOwnPropertyNames(globalThis)) {
  const d = Object.getOwnPropertyDescriptor(globalThis, name)!;
  if (/^[A-Z]/.test(name)) collect(d.value);
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
