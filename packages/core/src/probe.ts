// How a function tells who it is. Its text carries a marker comment (file and ordinal, at no cost when it runs); one that
// captures variables also begins with a probe, `if ($$P.on) return $$P.take([captured…])`: `identify` switches the probe on, calls
// the function once and takes what it says. To throw would be ten times dearer: a big library asks thousands of functions at a capture. Core's own closures that a program can hold (resolving functions, element functions
// of `Promise.all` …) begin with `probe.hit(CORE, ordinal, [captured…])`.

import { apply, sourceText } from './intrinsics.ts';

export interface FunctionIdentity {
  module: unknown;
  ordinal: number;
  captures: unknown[];
  /** A step function, which stands for the function of its ordinal (-1: the module itself) in a frame. */
  step?: boolean;
}

type AnyFunction = (...args: never[]) => unknown;

/** In the place of a variable that has not been initialised. */
export const UNINITIALISED: object = Object.freeze({ uninitialised: true });

/** Thrown by `hit` and `stop`: no program code may catch it, since none runs before a prologue. */
const PROBE_HIT = Object.freeze({ probe: 'hit' });

let probeAnswer: FunctionIdentity | undefined;

export const probe = {
  on: false,
  /** Constructors of remade classes make instances without running code of the program. */
  blank: false,
  hit(module: unknown, ordinal: number, captures: unknown[]): never {
    probeAnswer = { module, ordinal, captures };
    throw PROBE_HIT;
  },
  /** For emitted functions, which return at once what it answers; their marker tells the rest. */
  take(captures: unknown[]): undefined {
    probeAnswer = { module: undefined, ordinal: -1, captures };
  },
  /** The same where nothing can be returned yet, in the default of a parameter. */
  stop(captures: unknown[]): never {
    probeAnswer = { module: undefined, ordinal: -1, captures };
    throw PROBE_HIT;
  },
  /** A captured variable whose declaration may never be reached. */
  read(variable: () => unknown): unknown {
    try {
      return variable();
    } catch {
      return UNINITIALISED;
    }
  },
};

// Both values are seen before any program code: V8 must not take `on` for a constant and deoptimise at the first capture.
probe.on = true;
probe.on = false;
probe.blank = true;
probe.blank = false;

export const CORE = 'turntable core';

/** The method as a function of its receiver, which V8 inlines. */
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

/** Ties the name that markers give a file to the record of the file. */
export function defineFile(module: unknown, id: string): void {
  apply(set, files, [id, module]);
}

interface Marker {
  readonly id: string;
  readonly ordinal: number;
  readonly flag: string;
}

/** Of functions that have been asked for before: a text does not change, and to read it takes longer than all else. */
const markers = new WeakMap<AnyFunction, Marker>();
const getMarker = receiverFirst(WeakMap.prototype.get) as (
  known: typeof markers,
  fn: AnyFunction,
) => Marker | undefined;
const setMarker = receiverFirst(WeakMap.prototype.set) as (
  known: typeof markers,
  fn: AnyFunction,
  marker: Marker,
) => unknown;

/** Who `fn` is, or nothing when it is not of transformed code. Foreign functions are never called. */
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

/** Whether its text is that of transformed code, or of core's own closures. */
export function hasMarker(fn: AnyFunction): boolean {
  const text = sourceText(fn);
  return text.includes('/*@') || apply(test, PROLOGUE, [text]);
}

/** Calls a function that begins with a probe. */
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
