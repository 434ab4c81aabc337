// A program's state as inert data: readable in a process that has neither the program nor its code nor the same
// runtime. The adapters correspond to the adapters of `program-heap.ts`, in the same order.
import { createStandIn, readInert, type InertHeap, type ObjectSizes } from '@turntable/heap/inert';
import type { RestoringAdapter } from '@turntable/heap';
import { decodeState, type ProgramHead, type RecordHead } from './state-container.ts';
import { decodeMembers } from './handle-members.ts';
import type { InertSources } from './inert-sources.ts';
import { TIMER_FIELDS } from './timer-adapter.ts';

/** A module and its contents. */
export interface InertModule {
  readonly url: string;
  readonly status: string;
  readonly exports: Readonly<Record<string, unknown>>;
  /** Variables of the module's top scope. */
  readonly variables: Readonly<Record<string, unknown>>;
}

export interface InertState {
  readonly node: string;
  readonly main: string | null;
  readonly cwd: string;
  readonly modules: readonly InertModule[];
  /** State that belongs to no single actor, except modules, by name. */
  readonly base: Readonly<Record<string, unknown>>;
  readonly baseBytes: number;
  /** The pieces of a state that was written in pieces. */
  readonly pieces: InertHeap['roots'];
  readonly changes: InertHeap['changes'];
  readonly codeIdOf: InertHeap['codeIdOf'];
  /** Whether a module is code created at run time, reachable only from its functions. */
  isRuntimeCode(module: object): boolean;
}

/** Roots that are not shown, because they have no information for readers or are shown elsewhere. */
const OMITTED_ROOTS: ReadonlySet<string> = new Set(['records', 'process', 'bindings']);

export function readInertState(
  bytes: Uint8Array,
  sources: InertSources,
  adapters: readonly RestoringAdapter[],
  sizes?: ObjectSizes,
): InertState {
  const { head, heap } = decodeState(bytes);
  const records = new Map<object, RecordHead>();
  const modules: object[] = head.records.map((record) => {
    const [url] = record.key.split('\n');
    const module = createStandIn('Module', { url, status: record.status });
    records.set(module, record);
    return module;
  });
  const { roots, changes, codeIdOf } = readInert(heap, {
    ...(sizes && { sizes }),
    sources: sources.codeSources((module) => records.get(module as object)),
    adapters: [
      createInertModuleAdapter(modules, (module) => sources.topScopeVariables(records.get(module) as RecordHead)),
      createFieldAdapter('module objects', ['Module object'], ['id'], ['parent']),
      createFieldAdapter('timers', ['Timeout', 'Immediate'], [], TIMER_FIELDS),
      ...adapters,
      createErrorPrototypeAdapter(),
      createPairAdapter('headers and forms', ['Headers', 'FormData']),
      createFieldAdapter('channels', ['Channel', 'TracingChannel'], ['name'], ['subscribers', 'stores']),
      createPairAdapter('async resources', ['AsyncResource']),
      createFieldAdapter('rejection handlers', ['RejectionHandler'], [], []),
      createFieldAdapter('require functions', ['require', 'require.resolve', 'require.resolve.paths'], ['module'], []),
      createInertHandleAdapter(head),
      createInertHandleAdapter(head),
    ],
  });
  const [base, , ...pieces] = roots;
  return {
    node: head.node,
    main: head.main,
    cwd: head.cwd,
    // Builtins have no contents.
    modules: (modules as unknown as InertModule[]).filter((module) => 'exports' in module),
    base: Object.fromEntries(
      Object.entries((base?.value ?? {}) as object).filter(([name]) => !OMITTED_ROOTS.has(name)),
    ),
    baseBytes: base?.bytes ?? 0,
    pieces,
    changes,
    codeIdOf,
    isRuntimeCode: (module) => records.get(module)?.originKind === 'text',
  };
}

/** Creates an adapter for kinds whose header and contents have names. */
function createFieldAdapter(
  name: string,
  kinds: readonly string[],
  header: readonly string[],
  contents: readonly string[],
): RestoringAdapter {
  const assign = (object: object, names: readonly string[], values: readonly unknown[]): void => {
    values.forEach((value, i) => ((object as Record<string, unknown>)[names[i] ?? `${i}`] = value));
  };
  return {
    name,
    allocate(kind, values) {
      const object = createStandIn(kinds[kind] ?? name);
      assign(object, header, values);
      return object;
    },
    fill: (object, _, values) => assign(object, contents, values),
  };
}

function createPairAdapter(name: string, kinds: readonly string[]): RestoringAdapter {
  return {
    name,
    allocate: (kind) => createStandIn(kinds[kind] ?? name),
    fill(object, _, contents) {
      const entries: unknown[] = [];
      for (let i = 0; i + 1 < contents.length; i += 2) entries.push([contents[i], contents[i + 1]]);
      Object.assign(object, { entries });
    },
  };
}

/** Creates the adapter of the prototypes of Node's errors, whose names end with a code. */
function createErrorPrototypeAdapter(): RestoringAdapter {
  return {
    name: 'prototypes of Node’s errors',
    allocate: (_, header) => createStandIn('ErrorPrototype', { header }),
    fill: () => undefined,
  };
}

const FIRST_EXPORT_INDEX = 6;

function createInertModuleAdapter(
  modules: readonly object[],
  variablesOf: (module: object) => readonly string[],
): RestoringAdapter {
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
      if (!Array.isArray(names)) throw new TypeError('expected a list of exports of a module');
      // Deferred until the list has its elements.
      return () => {
        const variables = variablesOf(module);
        const exportedValues = namedValues(
          names as unknown[],
          contents.slice(FIRST_EXPORT_INDEX, FIRST_EXPORT_INDEX + names.length),
        );
        const values = contents.slice(FIRST_EXPORT_INDEX + names.length);
        const ownVariables = namedValues(
          values.map((_value, i) => variables[i] ?? `variable ${i}`),
          values,
        );
        for (const name of Object.keys(ownVariables))
          if (ownVariables[name] === undefined && name in exportedValues) Reflect.deleteProperty(ownVariables, name);
        Object.assign(module, {
          exports: exportedValues,
          variables: ownVariables,
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

const PROMISE_HANDLE = 2;

/** Creates the adapter of handles left behind, in whose place stand-ins with their descriptions appear. */
function createInertHandleAdapter({ handles }: ProgramHead): RestoringAdapter {
  return {
    name: 'handles',
    allocate(kind, [number]) {
      const handle = handles[number as number];
      if (handle === undefined) throw new TypeError('unknown handle');
      const { class: name, listenAddress } = handle;
      const standInKind = kind === PROMISE_HANDLE ? 'NativePromise' : 'Handle';
      return createStandIn(standInKind, { class: name, ...(listenAddress === null ? {} : { listenAddress }) });
    },
    fill(object, _, [, ...members]) {
      for (const { names, values } of decodeMembers(members))
        values.forEach((value, i) => ((object as Record<string, unknown>)[String(names[i])] = value));
    },
  };
}
