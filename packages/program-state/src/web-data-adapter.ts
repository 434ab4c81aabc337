// The adapter of Headers and FormData, which are written as lists of names and values. Headers of responses and forms
// with files are refused. Both are read and created with Node's own methods, which are loaded at the first use.
import { isProgramFunction } from '@turntable/boundary';
import type { ObjectAdapter } from '@turntable/heap';

type Entries = (this: unknown) => Iterable<readonly [string, unknown]>;
type Method = (this: unknown, ...args: never[]) => unknown;

interface WebCollection {
  readonly prototype: object;
  readonly entries: Entries;
  readonly append: Method;
  create(): object;
  /** Whether the object can be created again: headers of a response cannot. */
  isMutable(value: object): boolean;
}

const COLLECTION_NAMES = ['Headers', 'FormData'] as const;

/** @param classNamed returns a class of Node if it is loaded @param loadClasses loads Node's lazy classes */
export function createWebDataAdapter(classNamed: (name: string) => unknown, loadClasses: () => void): ObjectAdapter {
  const collections: (WebCollection | undefined)[] = [];
  const collectionAt = (kind: number): WebCollection | undefined => {
    const type = collections[kind] === undefined ? classNamed(COLLECTION_NAMES[kind] as string) : undefined;
    return (collections[kind] ??=
      typeof type === 'function' ? createWebCollection(type as new () => object) : undefined);
  };
  const kindOfPrototype = (prototype: object | null): number =>
    COLLECTION_NAMES.findIndex((_, kind) => collectionAt(kind)?.prototype === prototype);
  const requireCollection = (kind: number): WebCollection => {
    loadClasses();
    const collection = collectionAt(kind);
    if (collection === undefined) throw new TypeError('headers and forms must be created by Node');
    return collection;
  };

  return {
    name: 'headers and forms',
    appliesTo: 'objects',
    matchesPrototype: (prototype) => kindOfPrototype(prototype) >= 0,
    takeApart(value) {
      const kind = kindOfPrototype(Reflect.getPrototypeOf(value));
      const collection = collections[kind];
      if (collection === undefined || !collection.isMutable(value)) return undefined;
      const contents: unknown[] = [];
      try {
        for (const [name, entry] of Reflect.apply(collection.entries, value, [])) contents.push(name, entry);
      } catch {
        // The object only resembles a collection.
        return undefined;
      }
      return { kind, header: [], contents, label: (index) => `.get(${JSON.stringify(contents[index - (index % 2)])})` };
    },
    allocate: (kind) => requireCollection(kind).create(),
    fill(object, kind, contents) {
      const { append } = requireCollection(kind);
      for (let i = 0; i + 1 < contents.length; i += 2)
        Reflect.apply(append, object, [contents[i], contents[i + 1]] as never[]);
    },
  };
}

/** The methods of a class; undefined if the program has replaced one before it was saved here. */
function createWebCollection(type: new () => object): WebCollection | undefined {
  const { prototype } = type as { prototype: Record<string, unknown> };
  const { append, entries, delete: deleteMethod } = prototype;
  if ([append, entries, deleteMethod].some((method) => typeof method !== 'function' || isProgramFunction(method)))
    return undefined;
  return {
    prototype,
    entries: entries as Entries,
    append: append as Method,
    create: () => new type(),
    isMutable(value) {
      // Headers of responses refuse any change, even of missing names. Forms never do.
      try {
        Reflect.apply(deleteMethod as Method, value, ['x-turntable-nothing'] as never[]);
        return true;
      } catch {
        return false;
      }
    },
  };
}
