// Where in its file a function of the program begins, for who tells of calls without being called: by the marker that stands in its code, through the
// source map, as stacks have their places.
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import type { ModuleRecord, Realm } from '@turntable/core';
import { lineIn, lineStarts } from '@turntable/transform/source-map';
import type { CodeLoader, RunningCode } from '../code/code.ts';

type AnyFunction = (...args: never[]) => unknown;

interface Mapped {
  readonly map: TraceMap;
  /** Where each line of the code begins. */
  readonly starts: readonly number[];
  /** By the ordinals of functions. */
  readonly places: Map<number, string | undefined>;
}

/** Answers `file:line`, counted from 1; nothing for a function that is not the program's. */
export function functionPlaces(
  realm: Realm,
  code: CodeLoader,
  runName: (record: ModuleRecord) => string,
): (fn: AnyFunction) => string | undefined {
  const mapped = new Map<RunningCode, Mapped>();

  function mappedOf(running: RunningCode): Mapped {
    let known = mapped.get(running);
    if (known === undefined) {
      const starts = lineStarts(running.entry.code);
      known = { map: new TraceMap(code.mapOf(running) as never), starts, places: new Map() };
      mapped.set(running, known);
    }
    return known;
  }

  function placeIn(name: string, running: RunningCode, ordinal: number, { map, starts }: Mapped): string | undefined {
    const at = new RegExp(String.raw`/\*@[\w$]+:${ordinal}\b`).exec(running.entry.code)?.index;
    if (at === undefined) return undefined;
    const line = lineIn(starts, at);
    const found = originalPositionFor(map, { line: line + 1, column: at - (starts[line] as number) });
    return found.line === null ? undefined : `${name}:${found.line}`;
  }

  return (fn) => {
    const identity = realm.identify(fn);
    // Core's own closures have a name in the place of a module.
    if (identity === undefined || typeof identity.module !== 'object' || identity.module === null) return undefined;
    const name = runName(identity.module as ModuleRecord);
    const running = code.running.get(name);
    if (running === undefined) return undefined;
    const { ordinal } = identity;
    const known = mappedOf(running);
    if (!known.places.has(ordinal)) known.places.set(ordinal, placeIn(name, running, ordinal, known));
    return known.places.get(ordinal);
  };
}
