// Headers and FormData: lists of names and values, and nothing of the outside as long as no response's headers and no files are among
// them. Read and made by their own methods, taken before the program can replace any.
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

const HEADERS = 0;

export function webData(): Adapter {
  const { append: appendHeader, entries: headerEntries, delete: deleteHeader } = Headers.prototype;
  const { append: appendField, entries: fieldEntries } = FormData.prototype;
  const collections: readonly Collection[] = [
    {
      prototype: Headers.prototype,
      entries: headerEntries as unknown as Entries,
      append: appendHeader as unknown as Method,
      make: () => new Headers(),
      isOpen(value) {
        try {
          // Those of responses refuse any change, of what is not there too.
          Reflect.apply(deleteHeader, value, ['x-turntable-nothing']);
          return true;
        } catch {
          return false;
        }
      },
    },
    {
      prototype: FormData.prototype,
      entries: fieldEntries as unknown as Entries,
      append: appendField as unknown as Method,
      make: () => new FormData(),
      isOpen: () => true,
    },
  ];

  return {
    name: 'headers and forms',
    asks: 'objects',
    claims: (prototype) => collections.some((each) => each.prototype === prototype),
    take(value) {
      const kind = collections.findIndex(({ prototype }) => prototype === Reflect.getPrototypeOf(value));
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
    allocate: (kind) => (collections[kind] ?? (collections[HEADERS] as Collection)).make(),
    fill(object, kind, contents) {
      const { append } = collections[kind] as Collection;
      for (let i = 0; i + 1 < contents.length; i += 2)
        Reflect.apply(append, object, [contents[i], contents[i + 1]] as never[]);
    },
  };
}
