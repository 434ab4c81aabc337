// Random graphs for property tests: a table of nodes of various kinds with references between them, so that sharing and
// cycles are as likely as trees.
import fc from 'fast-check';

type Reference = { node: number } | { value: unknown };
type NodeBuilder = { make(): object; fill(object: never, resolve: (reference: Reference) => unknown): void };

const primitive = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.string({ unit: 'binary' }),
  fc.string({ minLength: 30, maxLength: 60 }),
  fc.constantFrom<unknown>(undefined, null, true, false, -0, NaN, Infinity, 2 ** 31, -(2 ** 31), 2 ** 53, ''),
  fc.bigInt(),
  fc.constantFrom<unknown>(Symbol.iterator, Symbol.for('registered'), Symbol('one'), Symbol()),
);

const reference: fc.Arbitrary<Reference> = fc.oneof(
  fc.nat(30).map((node) => ({ node })),
  primitive.map((value) => ({ value })),
);
const key = fc.oneof(
  fc.constantFrom('a', 'b', 'c', 'id', '0', '7', 'then', 'constructor', '__proto__', 'é', '漢字'),
  fc.string(),
);
const attributes = fc.record({ writable: fc.boolean(), enumerable: fc.boolean(), configurable: fc.boolean() });

function defineData(object: object, name: PropertyKey, value: unknown): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

const ordinary = fc
  .record({
    prototype: fc.constantFrom('Object', 'null', 'node'),
    parent: fc.nat(30),
    fields: fc.array(fc.tuple(key, reference), { maxLength: 6 }),
  })
  .map(({ prototype, fields }): NodeBuilder => ({
    make: () => (prototype === 'null' ? (Object.create(null) as object) : {}),
    fill: (object: object, resolve) => fields.forEach(([name, to]) => defineData(object, name, resolve(to))),
  }));

/** Many objects with the same keys use compiled encoders. */
const shaped = fc.record({ a: reference, b: reference, c: reference }).map((fields): NodeBuilder => ({
  make: () => ({ a: 0, b: 0, c: 0 }),
  fill: (object: Record<string, unknown>, resolve) => {
    for (const name of ['a', 'b', 'c'] as const) object[name] = resolve(fields[name]);
  },
}));

const unusual = fc
  .record({
    fields: fc.array(fc.tuple(fc.oneof(key, fc.constantFrom(Symbol('s'), Symbol.for('r'))), reference, attributes), {
      maxLength: 4,
    }),
    accessor: fc.boolean(),
    seal: fc.constantFrom('freeze', 'seal', 'preventExtensions', undefined),
  })
  .map(({ fields, accessor, seal }): NodeBuilder => ({
    make: () => ({}),
    fill: (object: object, resolve) => {
      const seen = new Set<PropertyKey>();
      for (const [name, to, attributesOf] of fields) {
        if (seen.has(name)) continue;
        seen.add(name);
        Object.defineProperty(object, name, { ...attributesOf, value: resolve(to) });
      }
      if (accessor && !seen.has('size')) {
        const get = Object.getOwnPropertyDescriptor(Map.prototype, 'size')!.get!;
        Object.defineProperty(object, 'size', { get, configurable: true });
      }
      if (seal !== undefined) (Object[seal] as (object: object) => object)(object);
    },
  }));

const array = fc
  .record({
    items: fc.array(reference, { maxLength: 12 }),
    holes: fc.array(fc.nat(20), { maxLength: 2 }),
    extra: fc.option(fc.tuple(fc.constantFrom('index', 'raw', '-1'), reference)),
  })
  .map(({ items, holes, extra }): NodeBuilder => ({
    make: () => [],
    fill: (object: unknown[], resolve) => {
      items.forEach((to, i) => (object[i] = resolve(to)));
      for (const hole of holes) {
        if (hole < object.length) delete object[hole];
        else object.length = hole;
      }
      if (extra !== null) defineData(object, extra[0], resolve(extra[1]));
    },
  }));

const numbers = fc
  .array(fc.oneof(fc.integer(), fc.double()), { maxLength: 8 })
  .map((items): NodeBuilder => ({ make: () => [...items], fill: () => undefined }));

const collection = fc
  .record({ isMap: fc.boolean(), items: fc.array(fc.tuple(reference, reference), { maxLength: 6 }) })
  .map(({ isMap, items }): NodeBuilder => ({
    make: () => (isMap ? new Map() : new Set()),
    fill: (object: Map<unknown, unknown> & Set<unknown>, resolve) => {
      for (const [k, v] of items) {
        if (isMap) object.set(resolve(k), resolve(v));
        else object.add(resolve(k));
      }
    },
  }));

const valueNode = fc
  .oneof(
    fc.date({ noInvalidDate: false }).map((date) => () => new Date(date)),
    fc.constantFrom('a+b', '[é]', '(?<x>.)').map((source) => () => new RegExp(source, 'gu')),
    primitive.filter((value) => value !== undefined && value !== null).map((value) => () => Object(value) as object),
    fc.uint8Array({ maxLength: 9 }).map((bytes) => () => new Uint8Array(bytes)),
    fc.string().map((message) => () => new RangeError(message)),
  )
  .map((make): NodeBuilder => ({ make, fill: () => undefined }));

/** At most thirty nodes that refer to each other. */
export const nodes: fc.Arbitrary<object[]> = fc
  .array(fc.oneof({ arbitrary: shaped, weight: 3 }, ordinary, unusual, array, numbers, collection, valueNode), {
    minLength: 1,
    maxLength: 30,
  })
  .map((builds) => {
    const made = builds.map((build) => build.make());
    const resolve = (to: Reference): unknown => ('node' in to ? made[to.node % made.length] : to.value);
    builds.forEach((build, i) => build.fill(made[i] as never, resolve));
    return made;
  });

/** A root that refers to some of at most thirty nodes. */
export const graph: fc.Arbitrary<object> = nodes.map((made) => made[0] as object);
