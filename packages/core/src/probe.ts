// The identity of a function, for capture. The text of an emitted function carries a marker comment (file and ordinal),
// at no cost. A function that captures variables also starts with a probe, `if ($$P.on) return $$P.take([captured…])`.
// `identify` switches the probe on, calls the function once, and takes the result. Throwing instead would cost ten
// times as much, and a big library has thousands of functions. Core's own closures that a program can hold start with
// `probe.hit(CORE, ordinal, [captured…])`.

import { apply, sourceText } from './intrinsics.ts';

export interface FunctionIdentity {
  module: unknown;
  ordinal: number;
  captures: unknown[];
  /** Whether the function is the step of that ordinal (-1: of the module itself), as found in a frame. */
  step?: boolean;
}

type AnyFunction = (...args: never[]) => unknown;

/** Value of a captured variable that has not been initialised. */
export const UNINITIALISED: object = Object.freeze({ uninitialised: true });

/** Value of a variable that is only kept beside the frame, and that a frame from a snapshot has not. */
export const NOT_KEPT: object = Object.freeze({ notKept: true });

/** Value thrown by `hit` and `stop`. Program code cannot catch it, because none runs before a prologue. */
const PROBE_HIT = Object.freeze({ probe: 'hit' });

let probeAnswer: FunctionIdentity | undefined;

export const probe = {
  on: false,
  /** Set while restored classes make blank instances: constructors then run no code of the program. */
  blank: false,
  hit(module: unknown, ordinal: number, captures: unknown[]): never {
    probeAnswer = { module, ordinal, captures };
    throw PROBE_HIT;
  },
  /** Receives the captured variables of an emitted function, which then returns. Its marker has file and ordinal. */
  take(captures: unknown[]): undefined {
    probeAnswer = { module: undefined, ordinal: -1, captures };
  },
  /** Form of `take` for the default value of a parameter, where a function cannot return. */
  stop(captures: unknown[]): never {
    probeAnswer = { module: undefined, ordinal: -1, captures };
    throw PROBE_HIT;
  },
  /** Reads a captured variable. UNINITIALISED if its declaration has not been reached. */
  read(variable: () => unknown): unknown {
    try {
      return variable();
    } catch {
      return UNINITIALISED;
    }
  },
};

// V8 must see both values before any program code, or it takes them for constants and deoptimises at a capture.
probe.on = true;
probe.on = false;
probe.blank = true;
probe.blank = false;

export const CORE = 'turntable core';

/** Turns a method into a function that takes the receiver as its first argument, in a form that V8 inlines. */
function receiverFirst(of: (...args: never[]) => unknown): unknown {
  return Function.prototype.call.bind(of);
}

const PROLOGUE = /^[^{]*(?:\{|=>)\s*(?:if \()?probe\.on/;
const MARKER = /\/\*@(\w+):(-?\d+)([+!]?)\*\//;
const { exec, test } = RegExp.prototype;
const { set } = Map.prototype as Map<string, unknown>;
const getFile = receiverFirst(Map.prototype.get) as (files: ReadonlyMap<string, unknown>, id: string) => unknown;
const hasFile = receiverFirst(Map.prototype.has) as (files: ReadonlyMap<string, unknown>, id: string) => boolean;
const files = new Map<string, unknown>();

/** Registers the record of a file under the name that markers use. */
export function defineFile(module: unknown, id: string): void {
  apply(set, files, [id, module]);
}

interface Marker {
  readonly id: string;
  readonly ordinal: number;
  readonly flag: string;
}

/** Markers read so far. Reading a function's text dominates the cost of `identify`, and the text never changes. */
type Markers = WeakMap<AnyFunction, Marker>;
const markers: Markers = new WeakMap();
const getMarker = receiverFirst(WeakMap.prototype.get) as (map: Markers, fn: AnyFunction) => Marker | undefined;
const setMarker = receiverFirst(WeakMap.prototype.set) as (map: Markers, fn: AnyFunction, marker: Marker) => unknown;

/** Identity of a function; undefined if it is not transformed code. Foreign functions are never called. */
export function identify(fn: AnyFunction): FunctionIdentity | undefined {
  let marker = getMarker(markers, fn);
  if (marker === undefined) {
    const text = sourceText(fn);
    if (text.startsWith('class')) return undefined;
    const found = apply(exec, MARKER, [text]) as RegExpExecArray | null;
    if (found === null) return apply(test, PROLOGUE, [text]) ? askProbe(fn) : undefined;
    marker = { id: found[1] as string, ordinal: Number(found[2]), flag: found[3] as string };
    setMarker(markers, fn, marker);
  }
  const { id, ordinal, flag: sign } = marker;
  const module: unknown = getFile(files, id);
  if (module === undefined && !hasFile(files, id)) return undefined;
  if (sign === '!') return { module, ordinal, captures: [], step: true };
  return { module, ordinal, captures: sign === '+' ? (askProbe(fn)?.captures ?? []) : [] };
}

/** Whether the function is transformed code, or one of core's own closures. */
export function hasMarker(fn: AnyFunction): boolean {
  const text = sourceText(fn);
  return text.includes('/*@') || apply(test, PROLOGUE, [text]);
}

/** Calls a function that starts with a probe, and returns what the probe reports. */
function askProbe(fn: AnyFunction): FunctionIdentity | undefined {
  probeAnswer = undefined;
  probe.on = true;
  try {
    apply(fn, undefined, []);
  } catch (error) {
    if (error !== PROBE_HIT) throw error;
  } finally {
    probe.on = false;
  }
  const found = probeAnswer as FunctionIdentity | undefined;
  probeAnswer = undefined;
  return found;
}
