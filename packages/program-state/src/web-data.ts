// Headers and FormData: lists of names and values, and nothing of the outside as long as no response's headers and no files are among
// them. Read and made by their own methods, not by what a program may have put in the place of these; not loaded before somebody has asked for them.
import { isOfProgram } from '@turntable/boundary';
import type { Adapter } from '@turntable/heap';

type Entries = (this: unknown) => Iterable<readonly [string, unknown]>;
type Method = (this: unknown, ...args: never[]) => unknown;

interface Collection {
  readonly prototype: object;
  readonly entries: Entries;
  readonly append: Method;
  make(): object;
  /** Whether it is of the kind that can be made again. */
  isOpen(value: object): boolean;
}

const NAMES = ['Headers', 'FormData'] as const;

/** `named`: a class of Node's, once there is one; `load` sees to it that there is. */
export function webData(named: (name: string) => unknown, load: () => void): Adapter {
  const collections: (Collection | undefined)[] = [];
  const collectionAt = (kind: number): Collection | undefined => {
    const type = collections[kind] === undefined ? named(NAMES[kind] as string) : undefined;
    return (collections[kind] ??= typeof type === 'function' ? collectionOf(type as new () => object) : undefined);
  };
  const kindBelow = (prototype: object | null): number =>
    NAMES.findIndex((_, kind) => collectionAt(kind)?.prototype === prototype);
  const needed = (kind: number): Collection => {
    load();
    const collection = collectionAt(kind);
    if (collection === undefined) throw new TypeError('headers and forms are made by Node');
    return collection;
  };

  return {
    name: 'headers and forms',
    asks: 'objects',
    claims: (prototype) => kindBelow(prototype) >= 0,
    take(value) {
      const kind = kindBelow(Reflect.getPrototypeOf(value));
      const collection = collections[kind];
      if (collection === undefined || !collection.isOpen(value)) return undefined;
      const contents: unknown[] = [];
      try {
        for (const [name, entry] of Reflect.apply(collection.entries, value, [])) contents.push(name, entry);
      } catch {
        // It only looks like one.
        return undefined;
      }
      return { kind, header: [], contents, label: (index) => `.get(${JSON.stringify(contents[index - (index % 2)])})` };
    },
    allocate: (kind) => needed(kind).make(),
    fill(object, kind, contents) {
      const { append } = needed(kind);
      for (let i = 0; i + 1 < contents.length; i += 2)
        Reflect.apply(append, object, [contents[i], contents[i + 1]] as never[]);
    },
  };
}

/** Nothing if methods that it takes are the program's: it has had no other names, so nobody knows Node's. */
function collectionOf(type: new () => object): Collection | undefined {
  const { prototype } = type as { prototype: Record<string, unknown> };
  const { append, entries, delete: remove } = prototype;
  if ([append, entries, remove].some((method) => typeof method !== 'function' || isOfProgram(method))) return undefined;
  return {
    prototype,
    entries: entries as Entries,
    append: append as Method,
    make: () => new type(),
    isOpen(value) {
      // Those of responses refuse any change, of what is not there too. Forms never do.
      try {
        Reflect.apply(remove as Method, value, ['x-turntable-nothing'] as never[]);
        return true;
      } catch {
        return false;
      }
    },
  };
}
