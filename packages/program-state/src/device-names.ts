// Names of objects of native modules that a program holds. Classes, functions and exports of devices exist again when
// the module is loaded again. A name is resolvable on its own: it consists of the file and the path through the
// exports.
import { isObject } from '@turntable/core';
import { types } from 'node:util';
import { DEVICE_PREFIX, type HandleCapturer } from './handle-capturer.ts';
import { NodeModules, runAsTool, originOf, type ProgramModules } from '@turntable/loader';
import { isProgramFunction } from '@turntable/boundary';
import type { KnownObjects } from '@turntable/heap';

const { getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
const { isProxy, isModuleNamespaceObject } = types;
/** Roots of paths: the `module` object of a file, or the namespace of a module. */
const MODULE_PART = 'module';
const NAMESPACE_PART = 'namespace';
const SEPARATOR = ' › ';
/** Limits of the search through the exports of a module: depth of paths, and number of objects. */
const MAX_NAMED_DEPTH = 4;
const MAX_NAMED_OBJECTS = 20_000;

export class DeviceNames {
  readonly #known: KnownObjects;
  readonly #program: ProgramModules;
  readonly #handles: HandleCapturer;
  readonly #namedModules: Set<string> = new Set();

  constructor(known: KnownObjects, program: ProgramModules, handles: HandleCapturer) {
    this.#known = known;
    this.#program = program;
    this.#handles = handles;
  }

  /** Names the exports of devices that were loaded since the last call. */
  nameLoaded(): void {
    for (const [file, module] of Object.entries(this.#program.commonJs.cache)) {
      if (module === undefined || this.#namedModules.has(file) || !this.#isNativeFile(file)) continue;
      this.#namedModules.add(file);
      this.#known.add(deviceName(file, MODULE_PART), module, 'alone');
      this.#nameReachable(deviceName(file, MODULE_PART, 'exports'), module.exports);
    }
    for (const record of this.#program.graph.records.values()) {
      const origin = originOf(record);
      if (origin?.kind !== 'device' || record.status !== 'evaluated' || this.#namedModules.has(record.key)) continue;
      // Handles beyond a membrane must not be read here: reading is recorded.
      if (this.#program.verdicts.isBeyondMembrane(origin.filename ?? '')) continue;
      this.#namedModules.add(record.key);
      for (const [name, cell] of record.cells)
        this.#nameReachable(deviceName(record.key, NAMESPACE_PART, name), readCell(cell));
    }
  }

  /** Loads the object that a name refers to and names it. A dead function takes the place of a missing object. */
  resolve(name: string): void {
    if (!name.startsWith(DEVICE_PREFIX)) return;
    const [file = '', part, ...path] = name.slice(DEVICE_PREFIX.length).split(SEPARATOR);
    let value: unknown = part === MODULE_PART ? this.#loadModule(file) : undefined;
    if (part === NAMESPACE_PART) {
      const cell = this.#program.graph.records.get(file)?.cells.get(path.shift() ?? '');
      value = cell === undefined ? undefined : readCell(cell);
    }
    for (const key of path) value = isObject(value) ? getOwnPropertyDescriptor(value, key)?.value : undefined;
    this.#known.setAlias(name, isObject(value) ? value : this.#handles.createDeadFunction(path.join('.')));
  }

  #loadModule(file: string): unknown {
    const loadedModule = this.#program.commonJs.cache[file];
    if (loadedModule !== undefined) return loadedModule;
    try {
      // The program does not request the device, so it is not loaded across the membrane.
      this.#program.loadEvents.loadNative(() => runAsTool(() => NodeModules._load(file, undefined, false)));
    } catch {
      return undefined;
    }
    return this.#program.commonJs.cache[file];
  }

  #isNativeFile(file: string): boolean {
    return this.#program.verdicts.nativeFiles.has(file) || file.endsWith('.node');
  }

  #nameReachable(startName: string, exportsObject: unknown): void {
    const queue: [name: string, value: unknown, depth: number][] = [[startName, exportsObject, 0]];
    for (let i = 0; i < queue.length && i < MAX_NAMED_OBJECTS; i++) {
      const [name, value, depth] = queue[i] as (typeof queue)[number];
      if (!isObject(value) || isProxy(value) || isProgramFunction(value) || this.#known.nameOf(value) !== undefined)
        continue;
      // Other objects are the device's internal state.
      if (depth > 0 && typeof value !== 'function' && !isPlainObject(value) && !name.endsWith('prototype')) continue;
      if (!isModuleNamespaceObject(value)) this.#known.add(name, value, 'alone');
      if (depth === MAX_NAMED_DEPTH) continue;
      for (const key of ownKeys(value)) {
        if (typeof key === 'symbol' || key.includes(SEPARATOR)) continue;
        queue.push([`${name}${SEPARATOR}${key}`, getOwnPropertyDescriptor(value, key)?.value, depth + 1]);
      }
    }
  }
}

function deviceName(...path: string[]): string {
  return `${DEVICE_PREFIX}${path.join(SEPARATOR)}`;
}

/** The value of a cell, which may be live or uninitialised. */
function readCell(cell: { readonly v?: unknown }): unknown {
  try {
    return cell.v;
  } catch {
    return undefined;
  }
}

function isPlainObject(value: object): boolean {
  const prototype = getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
