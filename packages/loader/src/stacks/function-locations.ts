// Locations of the program's functions, without calling them: from the marker in a function's code, through the source
// map, as in stacks.
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import type { ModuleRecord, Realm } from '@turntable/core';
import { lineAt, lineStarts } from '@turntable/transform/source-map';
import type { CodeLoader, RunningCode } from '../code/code-loader.ts';

type AnyFunction = (...args: never[]) => unknown;

interface MappedFunctions {
  readonly map: TraceMap;
  /** Offset of each line of the code. */
  readonly lineStarts: readonly number[];
  /** Locations by function ordinal. */
  readonly locations: Map<number, string | undefined>;
}

/** Creates a function that returns `file:line`, counted from 1, or undefined for a function outside the program. */
export function createFunctionLocator(
  realm: Realm,
  code: CodeLoader,
  runName: (record: ModuleRecord) => string,
): (fn: AnyFunction) => string | undefined {
  const mappedByCode = new Map<RunningCode, MappedFunctions>();

  function mappedFunctionsOf(running: RunningCode): MappedFunctions {
    let known = mappedByCode.get(running);
    if (known === undefined) {
      const starts = lineStarts(running.entry.code);
      known = { map: new TraceMap(code.mapOf(running) as never), lineStarts: starts, locations: new Map() };
      mappedByCode.set(running, known);
    }
    return known;
  }

  function locationIn(
    name: string,
    running: RunningCode,
    ordinal: number,
    { map, lineStarts: starts }: MappedFunctions,
  ): string | undefined {
    const markerIndex = new RegExp(String.raw`/\*@[\w$]+:${ordinal}\b`).exec(running.entry.code)?.index;
    if (markerIndex === undefined) return undefined;
    const line = lineAt(starts, markerIndex);
    const found = originalPositionFor(map, { line: line + 1, column: markerIndex - (starts[line] as number) });
    return found.line === null ? undefined : `${name}:${found.line}`;
  }

  return (fn) => {
    const identity = realm.identify(fn);
    // Core's own closures have a name instead of a module.
    if (identity === undefined || typeof identity.module !== 'object' || identity.module === null) return undefined;
    const name = runName(identity.module as ModuleRecord);
    const running = code.running.get(name);
    if (running === undefined) return undefined;
    const { ordinal } = identity;
    const known = mappedFunctionsOf(running);
    if (!known.locations.has(ordinal)) known.locations.set(ordinal, locationIn(name, running, ordinal, known));
    return known.locations.get(ordinal);
  };
}
