// Adapters that every state needs for an inert graph: the program's functions and classes, core's objects, proxies.
// They create stand-ins for any bytes. Kind numbers and field orders come from `code-adapters.ts` and `kinds/`.

import { FULFILLED, PENDING } from '@turntable/core';
import { CORE_FIELDS, CORE_KINDS } from '../kinds/core-objects.ts';
import { ENGINE_FIELDS, ENGINE_KINDS, FIRST_ENGINE_KIND } from '../kinds/engine-objects.ts';
import { CODE_KINDS } from '../code-adapters.ts';
import {
  BoundFunction,
  Cell,
  classOfPrototype,
  Eventual,
  Frame,
  markHeldWeakly,
  instancesOf,
  createStandIn,
  ProgramClass,
  ProgramFunction,
  standInPrototypeOf,
  ProxyStandIn,
  type CodeLocation,
} from './stand-ins.ts';
import type { RestoringAdapter } from '../ports.ts';

/** Facts about a function from the source text of its file. */
export interface FunctionSource extends CodeLocation {
  readonly captures: readonly string[];
  /** Whether each captured variable is shared with other functions that assign it. */
  readonly boxed: readonly boolean[];
  /** For suspendable functions: variable names, and for each suspension point its line and live slots. */
  readonly step?: {
    readonly slots: readonly string[];
    readonly points: readonly {
      readonly line: number | undefined;
      readonly live: readonly number[];
      /** Names of the live slots, if they are not those in `slots`; empty for a hidden variable. */
      readonly names?: readonly string[] | undefined;
    }[];
  };
}

export interface ClassSource extends CodeLocation {
  readonly captures: readonly string[];
  /** Private fields of instances; `statics` belong to the class. */
  readonly fields: readonly string[];
  readonly statics: readonly string[];
}

/** Facts from the program's source texts; undefined if the text is unknown. `module` is the stand-in of a module. */
export interface CodeSources {
  functionAt(module: unknown, ordinal: number): FunctionSource | undefined;
  classAt(module: unknown, ordinal: number): ClassSource | undefined;
  /** Returns whether several functions of the file share and assign a variable of that name. */
  isSharedVariable(module: unknown, name: string): boolean;
}

/** Location of a function or class in its file. */
interface CodeOrigin {
  readonly module: unknown;
  readonly ordinal: number;
  readonly source: FunctionSource | ClassSource | undefined;
}

const { FUNCTION, CLASS, MEMBER, STEP, PROTOTYPE, HANDLE, CLASS_WITH_DEAD } = CODE_KINDS;

/** The two adapters of code, in the order of the format, and the facts about code that they have met. */
export class InertCode {
  readonly #sources: CodeSources;
  readonly #origins = new WeakMap<object, CodeOrigin>();
  /** Sources of classes. */
  readonly #classSources = new WeakMap<object, ClassSource | undefined>();

  constructor(sources: CodeSources) {
    this.#sources = sources;
  }

  /** Returns the names of the private fields of a class's instances. */
  privateFieldNames(owner: object): readonly string[] {
    return this.#classSources.get(owner)?.fields ?? [];
  }

  /** Returns the module's stand-in and the ordinal of a function or class; undefined for other values. */
  codeIdOf(fn: object): readonly [module: unknown, ordinal: number] | undefined {
    const origin = this.#origins.get(fn);
    return origin && [origin.module, origin.ordinal];
  }

  stepOf(fn: unknown): FunctionSource['step'] {
    const source = this.#origins.get(fn as object)?.source;
    return source !== undefined && 'step' in source ? source.step : undefined;
  }

  isSharedVariable(fn: unknown, name: string): boolean {
    return this.#sources.isSharedVariable(this.#origins.get(fn as object)?.module, name);
  }

  get adapters(): RestoringAdapter[] {
    return [
      {
        name: 'code',
        allocate: (kind, header) => this.#allocate(kind, header),
        fill: (object, _, contents) => this.#fill(object as ProgramFunction, contents),
      },
      {
        name: 'prototypes',
        isForAnyPrototype: true,
        allocate(kind, [owner], prototype) {
          if (kind === HANDLE) return createStandIn('ClassHandle', { class: owner });
          if (kind !== PROTOTYPE) throw new TypeError(`unknown kind of prototype: ${kind}`);
          const prototypeObject = owner instanceof ProgramClass ? instancesOf(owner) : standInPrototypeOf(owner);
          if (prototypeObject === null || !(owner instanceof ProgramFunction))
            throw new TypeError('expected the owner of a prototype');
          // The class has got another parent prototype since its creation.
          if (prototype !== undefined && !Object.is(prototype, prototypeObject))
            Reflect.setPrototypeOf(prototypeObject, prototype);
          return prototypeObject;
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
        const source = this.#sources.classAt(module, ordinal);
        const standIn = new ProgramClass(source ?? unknownLocation('class', ordinal), header[2]);
        this.#origins.set(standIn, { module, ordinal, source });
        this.#classSources.set(standIn, source);
        return standIn;
      }
      case FUNCTION:
      case STEP:
        return this.#createFunction(module, ordinal);
      case MEMBER:
        return this.#createFunction(this.#origins.get(module as object)?.module, ordinal);
      default:
        throw new TypeError(`unknown kind of function: ${kind}`);
    }
  }

  #createFunction(module: unknown, ordinal: number): ProgramFunction {
    const source = this.#sources.functionAt(module, ordinal);
    const standIn = new ProgramFunction(source ?? unknownLocation('function', ordinal));
    this.#origins.set(standIn, { module, ordinal, source });
    return standIn;
  }

  #fill(fn: ProgramFunction, contents: readonly unknown[]): (() => void) | undefined {
    const { module, source } = this.#origins.get(fn) ?? {};
    const { captures = [] } = source ?? {};
    const isClass = fn instanceof ProgramClass;
    const count = isClass ? Number(contents[0]) : source === undefined ? contents.length : captures.length;
    const start = isClass ? 1 : 0;
    const boxed = source !== undefined && 'boxed' in source ? source.boxed : [];
    const shared: string[] = [];
    for (let i = 0; i < count && start + i < contents.length; i++) {
      const name = captures[i] ?? `captured ${i}`;
      defineDataProperty(fn.captured, name, contents[start + i]);
      if (boxed[i] === true || (isClass && this.#sources.isSharedVariable(module, name))) shared.push(name);
    }
    if (isClass) {
      const statics = source !== undefined && 'statics' in source ? source.statics : [];
      for (let i = start + count; i < contents.length - 1; i++)
        defineDataProperty(
          ProgramFunction.propertiesOf(fn),
          `#${statics[i - start - count] ?? i - start - count}`,
          contents[i],
        );
    }
    return Object.keys(fn.captured).length === 0
      ? undefined
      : () => unboxCells(fn.captured, (name) => shared.includes(name));
  }
}

function unknownLocation(kindName: string, ordinal: number): CodeLocation {
  return { name: `${kindName} ${ordinal}`, file: undefined, line: undefined };
}

function defineDataProperty(object: object, key: PropertyKey, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

/** Replaces cells, in which several scopes share a variable, by their values. */
function unboxCells(variables: Record<string, unknown>, isSharedName: (name: string) => boolean): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value instanceof Cell) defineDataProperty(variables, name, value.value);
    else if (isSharedName(name) && typeof value === 'object' && value !== null && Object.keys(value).join() === 'v')
      defineDataProperty(variables, name, (value as { v: unknown }).v);
  }
}

/** Creates the adapter of core's objects, which is the first one. */
export function createInertCoreAdapter(code: InertCode): RestoringAdapter {
  return {
    name: 'core',
    allocate(kind, header, prototype) {
      const name = coreKindName(kind);
      const object =
        name === 'eventual'
          ? new Eventual()
          : name === 'frame'
            ? new Frame()
            : name === 'cell'
              ? new Cell()
              : createStandIn(capitalize(name), namedFields(ENGINE_FIELDS[name as never], header));
      if (name === 'weakRef') markHeldWeakly(object, (key) => key === 'deref');
      if (name === 'finalizationRegistry') markHeldWeakly(object, isTargetOrToken);
      // The object is an instance of a program class that extends a class of core.
      if (prototype && classOfPrototype(prototype) !== undefined) Reflect.setPrototypeOf(object, prototype);
      return object;
    },
    fill(object, kind, contents) {
      const name = coreKindName(kind);
      if (name === 'eventual') return fillEventual(object as Eventual, contents);
      if (name === 'frame') return fillFrame(object as Frame, contents, code);
      if (name === 'cell') return void Object.assign(object, { name: contents[0], value: contents[1] });
      const fields = CORE_FIELDS[name as never] as readonly string[] | undefined;
      const engineFields = (ENGINE_FIELDS[name as never] ?? []) as readonly string[];
      const filledCount = Object.keys(object).length;
      return void Object.assign(object, namedFields(fields ?? engineFields.slice(filledCount), contents));
    },
  };
}

function coreKindName(kind: number): string {
  const name = kind < FIRST_ENGINE_KIND ? CORE_KINDS[kind] : ENGINE_KINDS[kind - FIRST_ENGINE_KIND];
  if (name === undefined) throw new TypeError(`core has no kind ${kind}`);
  return name;
}

function capitalize(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** Returns whether the field is a target or token: registrations have four fields each, after two of the registry. */
function isTargetOrToken(key: string): boolean {
  const index = Number(key);
  return index % 4 === 2 || (index > 0 && index % 4 === 0);
}

/** Characters around a label in a path. */
const LABEL_FRAMING = /^[ .]+|\(\)$/g;

function namedFields(names: readonly string[] = [], values: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(values.map((value, i) => [(names[i] ?? String(i)).replaceAll(LABEL_FRAMING, ''), value]));
}

function fillEventual(eventual: Eventual, [state, value, reactions]: readonly unknown[]): void {
  if (state === PENDING) {
    if (reactions !== undefined) eventual.waiting = reactions;
  } else if (state === FULFILLED) Object.assign(eventual, { state: 'fulfilled', value });
  else Object.assign(eventual, { state: 'rejected', reason: value });
}

const FIRST_SLOT = CORE_FIELDS.frame.indexOf('s0');
const MORE_SLOTS = CORE_FIELDS.frame.indexOf('more');

function fillFrame(frame: Frame, contents: readonly unknown[], code: InertCode): () => void {
  const [fn, pc, result, , context] = contents;
  const step = code.stepOf(fn);
  const point = step?.points[Number(pc) - 1];
  Object.assign(frame, { function: fn, line: point?.line, result, context });
  Object.defineProperty(frame, 'pc', { value: pc });
  // Deferred until all objects that contain the frame are filled.
  return () => {
    const moreSlots = contents[MORE_SLOTS];
    const slots = [
      ...contents.slice(FIRST_SLOT, MORE_SLOTS),
      ...(Array.isArray(moreSlots) ? (moreSlots as unknown[]) : []),
    ];
    slots.forEach((value, i) => {
      const isLive = point === undefined ? value !== undefined : point.live.includes(i);
      const name = point?.names?.[point.live.indexOf(i)] ?? step?.slots[i] ?? `slot ${i}`;
      if (isLive && name !== '') defineDataProperty(frame.variables, name, value);
    });
    unboxCells(frame.variables, (name) => code.isSharedVariable(fn, name));
  };
}

/** Creates the adapter of core's closures, bound functions and asynchronous contexts, which is the last but one. */
export function createInertFunctionAdapter(): RestoringAdapter {
  return {
    name: 'core functions',
    allocate(kind, header) {
      if (kind === 0) return new BoundFunction(header[2], [header[0], header[1], header.slice(4)]);
      if (kind === 1) return createStandIn('AsyncContext', { values: header });
      return createStandIn('CoreFunction', { captured: header });
    },
    fill: () => undefined,
  };
}

/** Creates the adapter of proxies, which is the last one. */
export function createInertProxyAdapter(): RestoringAdapter {
  return {
    name: 'proxies',
    allocate: (_, [target, handler]) => new ProxyStandIn(target, handler),
    fill: () => undefined,
  };
}
