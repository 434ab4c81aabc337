// Shims for functions of Node that close over functions of the program, such as `util.promisify` and `events.once`. For the program
// they are modules of ours (the folder `node-shims`), transformed and captured as its own files are; for native code they stay Node's.
// Each keeps its place, its name and its identity: one function for both, that looks at who calls. A module is loaded at the first call
// by the program; until then all there is of it is a row of the table.
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import events from 'node:events';
import util from 'node:util';
import { evaluateNow, link, loadRequested, resolveExport, type Cell } from '@turntable/core';
import { isShownOtherwise } from './modules/native-modules.ts';
import { nodeShimUrl } from './node-shim-files.ts';
import { standIn, standInAll } from './realm/stand-in.ts';
import type { CodeLoader } from './code/code.ts';
import type { EsmProgramHost } from './modules/esm-program-host.ts';
import type { ProgramModules } from './modules/program-modules.ts';

/** As Node has it: the program's is mapped. A binding of the module would follow. */
const { getCallSites } = util;
const WITHOUT_MAPS = { sourceMap: false };

type HostPromiseListener = (fn: unknown, promise: object) => void;

let hostPromiseBegun: HostPromiseListener = () => {};

/** Calls `listener` for each promise that a function settles which may be the host's. Owner: the state of this thread's program. */
export function followHostPromises(listener: HostPromiseListener): void {
  hostPromiseBegun = listener;
}

type Native = (this: unknown, ...args: unknown[]) => unknown;
type Holder = Record<string, unknown>;

/** Where a function stands, and the module of ours that exports one of that name, or of another. */
const FUNCTIONS: readonly (readonly [holder: object, name: string, file: string, exported?: string])[] = [
  [util, 'promisify', 'promisify'],
  [util, 'callbackify', 'callbackify'],
  [util, 'deprecate', 'deprecate'],
  [util, 'debuglog', 'debuglog'],
  [events, 'once', 'once'],
  [events, 'on', 'on'],
  [events, 'addAbortListener', 'abort-listener'],
  [AbortSignal, 'timeout', 'abort-timeout'],
  [Array, 'fromAsync', 'array-from-async'],
  [AsyncResource.prototype, 'bind', 'async-resource', 'bindToResource'],
  [AsyncResource, 'bind', 'async-resource', 'bindToNewResource'],
  [AsyncLocalStorage, 'bind', 'async-resource', 'bindToContext'],
  [AsyncLocalStorage, 'snapshot', 'async-resource', 'snapshotOfContext'],
];
/** Other names of the same functions. */
const ALIASES: readonly (readonly [holder: object, alias: string, name: string])[] = [[util, 'debug', 'debuglog']];

export interface NodeShimDeps {
  readonly program: Pick<ProgramModules, 'esm' | 'builtins'>;
  readonly code: CodeLoader;
  /** Prefixes of Turntable's own files. */
  readonly own: readonly string[];
}

/** Whether code of the program has called who asks. */
export type IsOfProgram = () => boolean;

/** The functions that were replaced, by name: what the modules call, and what a captured state names them by. */
export function installNodeShims({ program, code, own }: NodeShimDeps): {
  natives: Holder;
  isOfProgram: IsOfProgram;
} {
  const natives: Holder = { beginsOutside: (fn: unknown, promise: object) => hostPromiseBegun(fn, promise) };

  const isOwn = (scriptName: string): boolean => own.some((prefix) => scriptName.startsWith(prefix));

  function isOfProgram(caller: { readonly scriptName: string } | undefined): boolean {
    if (caller === undefined) return true;
    const { scriptName } = caller;
    return code.running.has(scriptName) || scriptName === 'anonymous' || isOwn(scriptName);
  }

  for (const [holder, name, file, exported = name] of FUNCTIONS) {
    const native = (holder as Holder)[name] as Native | undefined;
    if (native === undefined) continue;
    natives[exported] = native;
    standInAll(holder, {
      [name](this: unknown, ...args: unknown[]): unknown {
        const isProgramCall = isOfProgram(getCallSites(2, WITHOUT_MAPS)[1]);
        const called = isProgramCall ? nodeShim(program.esm, natives, file, exported) : native;
        return Reflect.apply(called, this, args);
      },
    });
  }
  for (const [holder, alias, name] of ALIASES) {
    if ((holder as Holder)[alias] === natives[name]) standIn(holder, alias, (holder as Holder)[name] as Native);
  }
  const { getBuiltinModule: native } = process;
  standInAll(process, {
    getBuiltinModule(id: string): unknown {
      if (typeof id !== 'string' || !isShownOtherwise(id)) return Reflect.apply(native, process, [id]);
      const caller = getCallSites(2, WITHOUT_MAPS)[1];
      // As they are published, Turntable's own modules have their builtins from here.
      const isOurs = isOfProgram(caller) && !(caller !== undefined && isOwn(caller.scriptName));
      return isOurs ? program.builtins.get(id) : Reflect.apply(native, process, [id]);
    },
  });
  // Who calls who calls.
  return { natives, isOfProgram: () => isOfProgram(getCallSites(3, WITHOUT_MAPS)[2]) };
}

/** With what takes time to find and not every program needs. */
export function completeNatives(natives: Holder): Holder {
  natives['resistStopPropagation'] ??= resistStopPropagation();
  return natives;
}

export function nodeShim(esm: EsmProgramHost, natives: Holder, file: string, name: string): Native {
  const exported = shimExport(esm, file, name);
  if (exported.isNew) (shimExport(esm, 'natives', 'useNatives').value as Native)(completeNatives(natives));
  return exported.value as Native;
}

function shimExport(esm: EsmProgramHost, file: string, name: string): { value: unknown; isNew: boolean } {
  const url = nodeShimUrl(file);
  const record = esm.graph.records.get(url) ?? esm.recordOf(url);
  const isNew = record.status !== 'evaluated';
  if (isNew) {
    loadRequested(record);
    link(record);
    evaluateNow(record);
  }
  return { value: (resolveExport(record, name) as Cell).v, isNew };
}

/** An option that Node gives to itself only: shown by what it asks its options for. */
function resistStopPropagation(): symbol | undefined {
  let found: symbol | undefined;
  const options = new Proxy(
    {},
    {
      get(_, key) {
        if (typeof key === 'symbol' && key.description === 'kResistStopPropagation') found = key;
      },
    },
  );
  new EventTarget().addEventListener('x', () => undefined, options);
  return found;
}
