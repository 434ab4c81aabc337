// What a program holds of modules that stay native, by name: a device's classes, functions and exports are there again where its module is
// loaded again. A name is the file and the way through its exports, so that it is found without anything else having a name.
import { isObject } from '@turntable/core';
import { types } from 'node:util';
import { DEVICE, type Handles } from './handles.ts';
import { NodeModules, originOf, type ProgramModules } from '@turntable/loader';
import { isOfProgram } from '@turntable/boundary';
import type { KnownObjects } from '@turntable/heap';

const { getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
const { isProxy, isModuleNamespaceObject } = types;
/** Names end in where they lead: the exports of a module, its `module` object, or the namespace. */
const MODULE = 'module';
const NAMESPACE = 'namespace';
const SEPARATOR = ' › ';
/** How far exports are looked into, and how much of each module gets names. */
const DEEPEST = 4;
const MOST = 20_000;

export class DeviceNames {
  readonly #known: KnownObjects;
  readonly #program: ProgramModules;
  readonly #handles: Handles;
  readonly #named: Set<string> = new Set();

  constructor(known: KnownObjects, program: ProgramModules, handles: Handles) {
    this.#known = known;
    this.#program = program;
    this.#handles = handles;
  }

  /** Gives names to what has been loaded since. */
  give(): void {
    for (const [file, module] of Object.entries(this.#program.commonJs.cache)) {
      if (module === undefined || this.#named.has(file) || !this.#isNative(file)) continue;
      this.#named.add(file);
      this.#known.add(nameOf(file, MODULE), module, 'alone');
      this.#walk(nameOf(file, MODULE, 'exports'), module.exports);
    }
    for (const record of this.#program.graph.records.values()) {
      const origin = originOf(record);
      if (origin?.what !== 'device' || record.status !== 'evaluated' || this.#named.has(record.key)) continue;
      // Of what is beyond a membrane there are handles, and to look at them is to ask.
      if (this.#program.verdicts.isBeyondMembrane(origin.filename ?? '')) continue;
      this.#named.add(record.key);
      for (const [name, cell] of record.cells) this.#walk(nameOf(record.key, NAMESPACE, name), valueOf(cell));
    }
  }

  /** Finds what a state calls so. */
  find(name: string): void {
    if (!name.startsWith(DEVICE)) return;
    const [file = '', part, ...path] = name.slice(DEVICE.length).split(SEPARATOR);
    let value: unknown = part === MODULE ? this.#moduleOf(file) : undefined;
    if (part === NAMESPACE) {
      const cell = this.#program.graph.records.get(file)?.cells.get(path.shift() ?? '');
      value = cell === undefined ? undefined : valueOf(cell);
    }
    for (const key of path) value = isObject(value) ? getOwnPropertyDescriptor(value, key)?.value : undefined;
    this.#known.answer(name, isObject(value) ? value : this.#handles.dead(path.join('.')));
  }

  #moduleOf(file: string): unknown {
    const loaded = this.#program.commonJs.cache[file];
    if (loaded !== undefined) return loaded;
    try {
      this.#program.events.loadNative(() => NodeModules._load(file, undefined, false));
    } catch {
      return undefined;
    }
    return this.#program.commonJs.cache[file];
  }

  #isNative(file: string): boolean {
    return this.#program.verdicts.nativeFiles.has(file) || file.endsWith('.node');
  }

  #walk(start: string, root: unknown): void {
    const queue: [name: string, value: unknown, depth: number][] = [[start, root, 0]];
    for (let i = 0; i < queue.length && i < MOST; i++) {
      const [name, value, depth] = queue[i] as (typeof queue)[number];
      if (!isObject(value) || isProxy(value) || isOfProgram(value) || this.#known.nameOf(value) !== undefined) continue;
      // What it holds otherwise is what it does with it.
      if (depth > 0 && typeof value !== 'function' && !isPlain(value) && !name.endsWith('prototype')) continue;
      if (!isModuleNamespaceObject(value)) this.#known.add(name, value, 'alone');
      if (depth === DEEPEST) continue;
      for (const key of ownKeys(value)) {
        if (typeof key === 'symbol' || key.includes(SEPARATOR)) continue;
        queue.push([`${name}${SEPARATOR}${key}`, getOwnPropertyDescriptor(value, key)?.value, depth + 1]);
      }
    }
  }
}

function nameOf(...path: string[]): string {
  return `${DEVICE}${path.join(SEPARATOR)}`;
}

/** Some stay live, and some are not there yet. */
function valueOf(cell: { readonly v?: unknown }): unknown {
  try {
    return cell.v;
  } catch {
    return undefined;
  }
}

function isPlain(value: object): boolean {
  const prototype = getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
