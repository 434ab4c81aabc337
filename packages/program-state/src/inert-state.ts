// A state of a program as data that nothing of can run: what it holds, for whoever looks at it, in a process that need not have the program,
// nor its code, nor what it was run by. The adapters are those of `program-state.ts`, in their order.
import { objectOf, readInert, type InertHeap, type ObjectSizes } from '@turntable/heap/inert';
import type { ReadingAdapter } from '@turntable/heap';
import { decodeState, type ProgramHead, type RecordHead } from './container.ts';
import { membersIn } from './handle-members.ts';
import type { InertTexts } from './inert-texts.ts';
import { TIMER_FIELDS } from './timer-objects.ts';

/** A module, with what it holds. */
export interface InertModule {
  readonly url: string;
  readonly status: string;
  readonly exports: Readonly<Record<string, unknown>>;
  /** Of its top scope. */
  readonly variables: Readonly<Record<string, unknown>>;
}

export interface InertState {
  readonly node: string;
  readonly main: string | null;
  readonly cwd: string;
  readonly modules: readonly InertModule[];
  /** What belongs to no actor alone besides the modules, by names. */
  readonly base: Readonly<Record<string, unknown>>;
  readonly baseBytes: number;
  /** Of a state that was written in pieces, these. */
  readonly pieces: InertHeap['roots'];
  readonly changes: InertHeap['changes'];
  readonly placeOf: InertHeap['placeOf'];
  /** Whether a module is code that the program has made at run time: only its functions lead to it. */
  isText(module: object): boolean;
}

/** Parts of the base that say nothing to anybody, or are told otherwise. */
const LEFT_OUT: ReadonlySet<string> = new Set(['records', 'process', 'bindings']);

export function readInertState(
  bytes: Uint8Array,
  texts: InertTexts,
  adapters: readonly ReadingAdapter[],
  sizes?: ObjectSizes,
): InertState {
  const { head, heap } = decodeState(bytes);
  const records = new Map<object, RecordHead>();
  const modules: object[] = head.records.map((record) => {
    const [url] = record.key.split('\n');
    const module = objectOf('Module', { url, status: record.status });
    records.set(module, record);
    return module;
  });
  const { roots, changes, placeOf } = readInert(heap, {
    ...(sizes && { sizes }),
    texts: texts.of((module) => records.get(module as object)),
    adapters: [
      modulesOf(modules, (module) => texts.variablesOf(records.get(module) as RecordHead)),
      fields('module objects', ['Module object'], ['id'], ['parent']),
      fields('timers', ['Timeout', 'Immediate'], [], TIMER_FIELDS),
      ...adapters,
      errors(),
      pairs('headers and forms', ['Headers', 'FormData']),
      fields('channels', ['Channel', 'TracingChannel'], ['name'], ['subscribers', 'stores']),
      pairs('async resources', ['AsyncResource']),
      fields('rejection handlers', ['RejectionHandler'], [], []),
      fields('require functions', ['require', 'require.resolve', 'require.resolve.paths'], ['module'], []),
      handlesOf(head),
      handlesOf(head),
    ],
  });
  const [base, , ...pieces] = roots;
  return {
    node: head.node,
    main: head.main,
    cwd: head.cwd,
    // Those that hold something: nothing of a builtin is state.
    modules: (modules as unknown as InertModule[]).filter((module) => 'exports' in module),
    base: Object.fromEntries(Object.entries((base?.value ?? {}) as object).filter(([name]) => !LEFT_OUT.has(name))),
    baseBytes: base?.bytes ?? 0,
    pieces,
    changes,
    placeOf,
    isText: (module) => records.get(module)?.what === 'text',
  };
}

/** Objects of kinds whose header and contents have names. */
function fields(
  name: string,
  kinds: readonly string[],
  header: readonly string[],
  contents: readonly string[],
): ReadingAdapter {
  const assign = (object: object, names: readonly string[], values: readonly unknown[]): void => {
    values.forEach((value, i) => ((object as Record<string, unknown>)[names[i] ?? `${i}`] = value));
  };
  return {
    name,
    allocate(kind, values) {
      const object = objectOf(kinds[kind] ?? name);
      assign(object, header, values);
      return object;
    },
    fill: (object, _, values) => assign(object, contents, values),
  };
}

function pairs(name: string, kinds: readonly string[]): ReadingAdapter {
  return {
    name,
    allocate: (kind) => objectOf(kinds[kind] ?? name),
    fill(object, _, contents) {
      const entries: unknown[] = [];
      for (let i = 0; i + 1 < contents.length; i += 2) entries.push([contents[i], contents[i + 1]]);
      Object.assign(object, { entries });
    },
  };
}

/** Prototypes of Node's errors, whose names end with a code. */
function errors(): ReadingAdapter {
  return {
    name: 'prototypes of Node’s errors',
    allocate: (_, header) => objectOf('ErrorPrototype', { header }),
    fill: () => undefined,
  };
}

const FIRST_CELL = 6;

function modulesOf(modules: readonly object[], variablesOf: (module: object) => readonly string[]): ReadingAdapter {
  return {
    name: 'modules',
    allocate(_, [number]) {
      const module = modules[number as number];
      if (module === undefined) throw new TypeError(`the program has no module ${String(number)}`);
      return module;
    },
    fill(module, _, contents) {
      if (contents.length === 0) return;
      const [failure, completion, , parameters, , names] = contents;
      if (!Array.isArray(names)) throw new TypeError('a module has a list of exports');
      // Once the list has its elements.
      return () => {
        const variables = variablesOf(module);
        const exported = namedValues(names as unknown[], contents.slice(FIRST_CELL, FIRST_CELL + names.length));
        const values = contents.slice(FIRST_CELL + names.length);
        const own = namedValues(
          values.map((_value, i) => variables[i] ?? `variable ${i}`),
          values,
        );
        for (const name of Object.keys(own))
          if (own[name] === undefined && name in exported) Reflect.deleteProperty(own, name);
        Object.assign(module, {
          exports: exported,
          variables: own,
          ...(failure === undefined ? {} : { failure }),
          ...(completion === undefined ? {} : { completion }),
          ...(parameters === undefined ? {} : { parameters }),
        });
      };
    },
  };
}

function namedValues(names: readonly unknown[], values: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(values.map((value, i) => [String(names[i]), value]));
}

const PROMISE = 2;

/** What stayed behind, by what it was. */
function handlesOf({ handles }: ProgramHead): ReadingAdapter {
  return {
    name: 'handles',
    allocate(kind, [number]) {
      const handle = handles[number as number];
      if (handle === undefined) throw new TypeError('there is no such handle');
      const { class: name, listened } = handle;
      const what = kind === PROMISE ? 'NativePromise' : 'Handle';
      return objectOf(what, { class: name, ...(listened === null ? {} : { listened }) });
    },
    fill(object, _, [, ...members]) {
      for (const { names, values } of membersIn(members))
        values.forEach((value, i) => ((object as Record<string, unknown>)[String(names[i])] = value));
    },
  };
}
