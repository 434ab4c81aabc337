// Process settings that no data property shows, behind accessors and functions of Node. A changed setting is written
// into the state and set again by a restore. Settings of a builtin are tracked from its first use on.

/** A setting. Its value is plain data, so that it can be compared and written. */
interface HostSetting {
  readonly name: string;
  read(): unknown;
  write(value: never): void;
}

type Exports = Record<string, unknown>;
type AnyFunction = (...args: readonly unknown[]) => unknown;

export type ChangedSetting = readonly [name: string, value: unknown];

const createSetting = (read: () => unknown, write: (value: never) => void, name: string): HostSetting => ({
  name,
  read,
  write,
});

/** Creates a setting that is read and written as a property of an object. */
function createPropertySetting(name: string, object: object, key: PropertyKey): HostSetting {
  return createSetting(
    () => Reflect.get(object, key),
    (value) => void Reflect.set(object, key, value),
    name,
  );
}

/** Creates a setting that is read and written with the functions `get…` and `set…` of a builtin. */
function createAccessorPairSetting(name: string, exports: Exports, key: string): HostSetting {
  const [get, set] = [exports[`get${key}`] as AnyFunction, exports[`set${key}`] as AnyFunction];
  return createSetting(() => get(), set as (value: never) => void, name);
}

function processSettings(): HostSetting[] {
  const { umask } = process;
  const groupIndentKey = Object.getOwnPropertySymbols(console).find(
    (key) => key.description?.startsWith('kGroupIndent') === true && typeof Reflect.get(console, key) === 'string',
  );
  return [
    createPropertySetting('process.title', process, 'title'),
    createPropertySetting('process.debugPort', process, 'debugPort'),
    createSetting(
      () => umask(),
      (value) => void umask(value),
      'process.umask()',
    ),
    ...(groupIndentKey === undefined ? [] : [createPropertySetting('console.group()', console, groupIndentKey)]),
  ];
}

/** The settings of each builtin. Some exist only in some versions of Node. */
const BUILTIN_SETTINGS: Readonly<Record<string, (exports: Exports) => HostSetting[]>> = {
  'node:events': (exports) =>
    ['defaultMaxListeners', 'captureRejections'].map((key) => createPropertySetting(`events.${key}`, exports, key)),
  'node:buffer': (exports) => [createPropertySetting('buffer.INSPECT_MAX_BYTES', exports, 'INSPECT_MAX_BYTES')],
  'node:util': ({ inspect }) => [
    createSetting(
      () => ({ ...(inspect as { defaultOptions: object }).defaultOptions }),
      (value) => void Reflect.set(inspect as object, 'defaultOptions', value),
      'util.inspect.defaultOptions',
    ),
  ],
  'node:stream': ({ getDefaultHighWaterMark: get, setDefaultHighWaterMark: set }) =>
    [false, true].map((isObjectMode) =>
      createSetting(
        () => (get as AnyFunction)(isObjectMode),
        (value) => void (set as AnyFunction)(isObjectMode, value),
        `stream.getDefaultHighWaterMark(${isObjectMode})`,
      ),
    ),
  'node:net': (exports) =>
    ['DefaultAutoSelectFamily', 'DefaultAutoSelectFamilyAttemptTimeout'].map((key) =>
      createAccessorPairSetting(`net.get${key}()`, exports, key),
    ),
  'node:dns': (exports) => [
    createAccessorPairSetting('dns.getDefaultResultOrder()', exports, 'DefaultResultOrder'),
    createAccessorPairSetting('dns.getServers()', exports, 'Servers'),
  ],
};

export class HostSettings {
  /** Settings by name, with the initial value: before the program used the builtin, or at the last `resetBaseline`. */
  readonly #settings: Map<string, { readonly setting: HostSetting; initialValue: unknown }> = new Map();

  constructor() {
    this.#add(processSettings());
  }

  /** Makes the current values the initial ones. */
  resetBaseline(): void {
    for (const each of this.#settings.values()) each.initialValue = each.setting.read();
  }

  addBuiltin(builtin: string, exports: object): void {
    this.#add(BUILTIN_SETTINGS[builtin]?.(exports as Exports) ?? []);
  }

  #add(settings: readonly HostSetting[]): void {
    for (const setting of settings)
      if (!this.#settings.has(setting.name))
        this.#settings.set(setting.name, { setting, initialValue: setting.read() });
  }

  /** The changed settings, sorted by name. */
  read(): ChangedSetting[] {
    const changed: ChangedSetting[] = [];
    for (const [name, { setting, initialValue }] of this.#settings) {
      const value = setting.read();
      if (!isSameData(value, initialValue)) changed.push([name, value]);
    }
    return changed.toSorted(([a], [b]) => (a < b ? -1 : 1));
  }

  write(changed: readonly ChangedSetting[]): void {
    for (const [name, value] of changed) this.#settings.get(name)?.setting.write(value as never);
  }
}

/** Whether two values are equal primitives, or objects with equal primitive properties. */
function isSameData(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b);
  const [leftEntries, rightEntries] = [Object.entries(a), Object.entries(b)];
  return (
    leftEntries.length === rightEntries.length &&
    leftEntries.every(([key, value]) => Object.is(value, (b as Exports)[key]))
  );
}
