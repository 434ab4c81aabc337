// The adapters of an inert graph that everybody's state has: the program's functions and classes, what belongs to core, proxies. They make
// stand-ins, whatever the bytes say; the numbers of kinds and the order of fields are those of `code.ts` and `kinds/`.

import { FULFILLED, PENDING } from '@turntable/core';
import { CORE_FIELDS, CORE_KINDS } from '../kinds/core-objects.ts';
import { ENGINE_FIELDS, ENGINE_KINDS, FIRST_ENGINE_KIND } from '../kinds/engine-objects.ts';
import { KINDS_OF_CODE } from '../code.ts';
import {
  BoundFunction,
  Cell,
  classOfPrototype,
  Eventual,
  Frame,
  holdWeakly,
  instancesOf,
  objectOf,
  ProgramClass,
  ProgramFunction,
  prototypeOf,
  ProxyStandIn,
  type CodePlace,
} from './stand-ins.ts';
import type { ReadingAdapter } from '../ports.ts';

/** What is known of a function from the text of its file. */
export interface FunctionText extends CodePlace {
  readonly captures: readonly string[];
  /** Which of them are shared with others that assign them. */
  readonly boxed: readonly boolean[];
  /** Of one that can wait: the names of its variables, and for each place where it can, the line and which of them can still be read. */
  readonly step?: {
    readonly slots: readonly string[];
    readonly points: readonly { readonly line: number | undefined; readonly live: readonly number[] }[];
  };
}

export interface ClassText extends CodePlace {
  readonly captures: readonly string[];
  /** Private fields of instances, and of the class itself. */
  readonly fields: readonly string[];
  readonly statics: readonly string[];
}

/** What the texts of the program's files say: `module` is what stands for one. Nothing where the text is not known. */
export interface CodeTexts {
  functionAt(module: unknown, ordinal: number): FunctionText | undefined;
  classAt(module: unknown, ordinal: number): ClassText | undefined;
  /** Whether a variable of that name is shared by several functions of the file that assign it. */
  isShared(module: unknown, name: string): boolean;
}

/** Of a function or class, where it comes from. */
interface Origin {
  readonly module: unknown;
  readonly ordinal: number;
  readonly text: FunctionText | ClassText | undefined;
}

const { FUNCTION, CLASS, MEMBER, STEP, PROTOTYPE, HANDLE, CLASS_WITH_DEAD } = KINDS_OF_CODE;

/** The two adapters of code, in their order. */
export class InertCode {
  readonly #texts: CodeTexts;
  readonly #origins = new WeakMap<object, Origin>();
  /** Of classes, the ordinal within their file. */
  readonly #classes = new WeakMap<object, ClassText | undefined>();

  constructor(texts: CodeTexts) {
    this.#texts = texts;
  }

  /** Private fields of instances of a class, by their names. */
  privateNames(owner: object): readonly string[] {
    return this.#classes.get(owner)?.fields ?? [];
  }

  /** Where a function or class stands: in what stands for a module, and which of its functions or classes it is. */
  placeOf(fn: object): readonly [module: unknown, ordinal: number] | undefined {
    const origin = this.#origins.get(fn);
    return origin && [origin.module, origin.ordinal];
  }

  stepOf(fn: unknown): FunctionText['step'] {
    const text = this.#origins.get(fn as object)?.text;
    return text !== undefined && 'step' in text ? text.step : undefined;
  }

  isShared(fn: unknown, name: string): boolean {
    return this.#texts.isShared(this.#origins.get(fn as object)?.module, name);
  }

  get adapters(): ReadingAdapter[] {
    return [
      {
        name: 'code',
        allocate: (kind, header) => this.#allocate(kind, header),
        fill: (object, _, contents) => this.#fill(object as ProgramFunction, contents),
      },
      {
        name: 'prototypes',
        odd: true,
        allocate(kind, [owner], prototype) {
          if (kind === HANDLE) return objectOf('ClassHandle', { class: owner });
          if (kind !== PROTOTYPE) throw new TypeError(`there is no kind ${kind} of prototype`);
          const found = owner instanceof ProgramClass ? instancesOf(owner) : prototypeOf(owner);
          if (found === null || !(owner instanceof ProgramFunction)) throw new TypeError('a prototype has an owner');
          // One that was given another prototype since is below that.
          if (prototype !== undefined && !Object.is(prototype, found)) Reflect.setPrototypeOf(found, prototype);
          return found;
        },
        fill: () => undefined,
      },
    ];
  }

  #allocate(kind: number, header: readonly unknown[]): object {
    const [module, number] = header;
    const ordinal = Number(number);
    switch (kind) {
      case CLASS:
      case CLASS_WITH_DEAD: {
        const text = this.#texts.classAt(module, ordinal);
        const made = new ProgramClass(text ?? unknownPlace('class', ordinal), header[2]);
        this.#origins.set(made, { module, ordinal, text });
        this.#classes.set(made, text);
        return made;
      }
      case FUNCTION:
      case STEP:
        return this.#function(module, ordinal);
      case MEMBER:
        return this.#function(this.#origins.get(module as object)?.module, ordinal);
      default:
        throw new TypeError(`there is no kind ${kind} of function`);
    }
  }

  #function(module: unknown, ordinal: number): ProgramFunction {
    const text = this.#texts.functionAt(module, ordinal);
    const made = new ProgramFunction(text ?? unknownPlace('function', ordinal));
    this.#origins.set(made, { module, ordinal, text });
    return made;
  }

  #fill(fn: ProgramFunction, contents: readonly unknown[]): (() => void) | undefined {
    const { module, text } = this.#origins.get(fn) ?? {};
    const { captures = [] } = text ?? {};
    const isClass = fn instanceof ProgramClass;
    const count = isClass ? Number(contents[0]) : text === undefined ? contents.length : captures.length;
    const from = isClass ? 1 : 0;
    const boxed = text !== undefined && 'boxed' in text ? text.boxed : [];
    const shared: string[] = [];
    for (let i = 0; i < count && from + i < contents.length; i++) {
      const name = captures[i] ?? `captured ${i}`;
      defineData(fn.captured, name, contents[from + i]);
      if (boxed[i] === true || (isClass && this.#texts.isShared(module, name))) shared.push(name);
    }
    if (isClass) {
      const statics = text !== undefined && 'statics' in text ? text.statics : [];
      for (let i = from + count; i < contents.length - 1; i++)
        defineData(ProgramFunction.propertiesOf(fn), `#${statics[i - from - count] ?? i - from - count}`, contents[i]);
    }
    return Object.keys(fn.captured).length === 0
      ? undefined
      : () => unbox(fn.captured, (name) => shared.includes(name));
  }
}

function unknownPlace(what: string, ordinal: number): CodePlace {
  return { name: `${what} ${ordinal}`, file: undefined, line: undefined };
}

function defineData(object: object, key: PropertyKey, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

/** Variables that several scopes share stand in objects of their own. */
function unbox(variables: Record<string, unknown>, isShared: (name: string) => boolean): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value instanceof Cell) defineData(variables, name, value.value);
    else if (isShared(name) && typeof value === 'object' && value !== null && Object.keys(value).join() === 'v')
      defineData(variables, name, (value as { v: unknown }).v);
  }
}

/** Core's own objects, the first adapter of all. */
export function inertCore(code: InertCode): ReadingAdapter {
  return {
    name: 'core',
    allocate(kind, header, prototype) {
      const name = nameOfKind(kind);
      const object =
        name === 'eventual'
          ? new Eventual()
          : name === 'frame'
            ? new Frame()
            : name === 'cell'
              ? new Cell()
              : objectOf(capitalised(name), named(ENGINE_FIELDS[name as never], header));
      if (name === 'weakRef') holdWeakly(object, (key) => key === 'deref');
      if (name === 'finalizationRegistry') holdWeakly(object, isTargetOrToken);
      // A class of the program that extends one of these.
      if (prototype && classOfPrototype(prototype) !== undefined) Reflect.setPrototypeOf(object, prototype);
      return object;
    },
    fill(object, kind, contents) {
      const name = nameOfKind(kind);
      if (name === 'eventual') return fillEventual(object as Eventual, contents);
      if (name === 'frame') return fillFrame(object as Frame, contents, code);
      if (name === 'cell') return void Object.assign(object, { name: contents[0], value: contents[1] });
      const fields = CORE_FIELDS[name as never] as readonly string[] | undefined;
      const engine = (ENGINE_FIELDS[name as never] ?? []) as readonly string[];
      const before = Object.keys(object).length;
      return void Object.assign(object, named(fields ?? engine.slice(before), contents));
    },
  };
}

function nameOfKind(kind: number): string {
  const name = kind < FIRST_ENGINE_KIND ? CORE_KINDS[kind] : ENGINE_KINDS[kind - FIRST_ENGINE_KIND];
  if (name === undefined) throw new TypeError(`core has no kind ${kind}`);
  return name;
}

function capitalised(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** Of a registration: four fields each, behind two of the registry's. */
function isTargetOrToken(key: string): boolean {
  const at = Number(key);
  return at % 4 === 2 || (at > 0 && at % 4 === 0);
}

/** Labels begin and end as in a path. */
const FRAMING = /^[ .]+|\(\)$/g;

function named(names: readonly string[] = [], values: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(values.map((value, i) => [(names[i] ?? String(i)).replaceAll(FRAMING, ''), value]));
}

function fillEventual(eventual: Eventual, [state, value, waiting]: readonly unknown[]): void {
  if (state === PENDING) {
    if (waiting !== undefined) eventual.waiting = waiting;
  } else if (state === FULFILLED) Object.assign(eventual, { state: 'fulfilled', value });
  else Object.assign(eventual, { state: 'rejected', reason: value });
}

const SLOTS = CORE_FIELDS.frame.indexOf('s0');
const MORE = CORE_FIELDS.frame.indexOf('more');

function fillFrame(frame: Frame, contents: readonly unknown[], code: InertCode): () => void {
  const [fn, pc, result, , context] = contents;
  const step = code.stepOf(fn);
  const point = step?.points[Number(pc) - 1];
  Object.assign(frame, { function: fn, line: point?.line, result, context });
  Object.defineProperty(frame, 'pc', { value: pc });
  // Once all that it is in has been filled.
  return () => {
    const more = contents[MORE];
    const slots = [...contents.slice(SLOTS, MORE), ...(Array.isArray(more) ? (more as unknown[]) : [])];
    slots.forEach((value, i) => {
      const isLive = point === undefined ? value !== undefined : point.live.includes(i);
      if (isLive) defineData(frame.variables, step?.slots[i] ?? `slot ${i}`, value);
    });
    unbox(frame.variables, (name) => code.isShared(fn, name));
  };
}

/** Core's closures, bound functions and asynchronous contexts: the last adapter but one. */
export function inertCoreFunctions(): ReadingAdapter {
  return {
    name: 'core functions',
    allocate(kind, header) {
      if (kind === 0) return new BoundFunction(header[2], [header[0], header[1], header.slice(4)]);
      if (kind === 1) return objectOf('AsyncContext', { values: header });
      return objectOf('CoreFunction', { captured: header });
    },
    fill: () => undefined,
  };
}

/** Proxies, the last adapter. */
export function inertProxies(): ReadingAdapter {
  return {
    name: 'proxies',
    allocate: (_, [target, handler]) => new ProxyStandIn(target, handler),
    fill: () => undefined,
  };
}
