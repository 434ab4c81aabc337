// Settings of the process that stand in no property: behind accessors and functions of Node's. Each is read by what reads it, and set again
// where the program goes on, if it is not what it was before the program. Those of a builtin count from the moment it is met.

/** What a setting is: written, and compared, as data. */
interface Setting {
  readonly name: string;
  read(): unknown;
  write(value: never): void;
}

type Exports = Record<string, unknown>;
type Fn = (...args: readonly unknown[]) => unknown;

export type ChangedSetting = readonly [name: string, value: unknown];

const fixed = (read: () => unknown, write: (value: never) => void, name: string): Setting => ({ name, read, write });

/** A property behind whose accessor, or behind which in native code, the setting is. */
function property(name: string, object: object, key: PropertyKey): Setting {
  return fixed(
    () => Reflect.get(object, key),
    (value) => void Reflect.set(object, key, value),
    name,
  );
}

/** A setting that a pair of functions reads and writes. */
function pair(name: string, exports: Exports, key: string): Setting {
  const [get, set] = [exports[`get${key}`] as Fn, exports[`set${key}`] as Fn];
  return fixed(() => get(), set as (value: never) => void, name);
}

function ofProcess(): Setting[] {
  const { umask } = process;
  const groups = Object.getOwnPropertySymbols(console).find(
    (key) => key.description?.startsWith('kGroupIndent') === true && typeof Reflect.get(console, key) === 'string',
  );
  return [
    property('process.title', process, 'title'),
    property('process.debugPort', process, 'debugPort'),
    fixed(
      () => umask(),
      (value) => void umask(value),
      'process.umask()',
    ),
    ...(groups === undefined ? [] : [property('console.group()', console, groups)]),
  ];
}

/** By the builtin; of some versions of Node's only. */
const OF_BUILTINS: Readonly<Record<string, (exports: Exports) => Setting[]>> = {
  'node:events': (exports) =>
    ['defaultMaxListeners', 'captureRejections'].map((key) => property(`events.${key}`, exports, key)),
  'node:buffer': (exports) => [property('buffer.INSPECT_MAX_BYTES', exports, 'INSPECT_MAX_BYTES')],
  'node:util': ({ inspect }) => [
    fixed(
      () => ({ ...(inspect as { defaultOptions: object }).defaultOptions }),
      (value) => void Reflect.set(inspect as object, 'defaultOptions', value),
      'util.inspect.defaultOptions',
    ),
  ],
  'node:stream': ({ getDefaultHighWaterMark: get, setDefaultHighWaterMark: set }) =>
    [false, true].map((objects) =>
      fixed(
        () => (get as Fn)(objects),
        (value) => void (set as Fn)(objects, value),
        `stream.getDefaultHighWaterMark(${objects})`,
      ),
    ),
  'node:net': (exports) =>
    ['DefaultAutoSelectFamily', 'DefaultAutoSelectFamilyAttemptTimeout'].map((key) =>
      pair(`net.get${key}()`, exports, key),
    ),
  'node:dns': (exports) => [
    pair('dns.getDefaultResultOrder()', exports, 'DefaultResultOrder'),
    pair('dns.getServers()', exports, 'Servers'),
  ],
};

export class HostSettings {
  /** With what each was before the program. */
  readonly #settings: Map<string, { readonly setting: Setting; born: unknown }> = new Map();

  constructor() {
    this.#add(ofProcess());
  }

  /** What they are now is what they were before the program. */
  bornAgain(): void {
    for (const each of this.#settings.values()) each.born = each.setting.read();
  }

  meet(builtin: string, exports: object): void {
    this.#add(OF_BUILTINS[builtin]?.(exports as Exports) ?? []);
  }

  #add(settings: readonly Setting[]): void {
    for (const setting of settings)
      if (!this.#settings.has(setting.name)) this.#settings.set(setting.name, { setting, born: setting.read() });
  }

  /** By name. */
  read(): ChangedSetting[] {
    const changed: ChangedSetting[] = [];
    for (const [name, { setting, born }] of this.#settings) {
      const value = setting.read();
      if (!isSame(value, born)) changed.push([name, value]);
    }
    return changed.toSorted(([a], [b]) => (a < b ? -1 : 1));
  }

  write(changed: readonly ChangedSetting[]): void {
    for (const [name, value] of changed) this.#settings.get(name)?.setting.write(value as never);
  }
}

/** Of data without depth. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b);
  const [one, other] = [Object.entries(a), Object.entries(b)];
  return one.length === other.length && one.every(([key, value]) => Object.is(value, (b as Exports)[key]));
}
