// How a closure tells who it is: every transformed function begins with `if ($$P.on) return $$P.hit(module, ordinal, [captured…])`.
// `identify` switches the probe on, calls the function once and takes what it says. Core's own closures that a program can
// hold (resolving functions, element functions of `Promise.all` …) carry the same prologue with `CORE` as their module.

import { apply, sourceText } from './intrinsics.ts';

export interface Identity {
  module: unknown;
  ordinal: number;
  captures: unknown[];
}

type AnyFunction = (...args: never[]) => unknown;

/** Thrown by `hit`: no program code may catch it, since none runs before a prologue. */
const HIT = Object.freeze({ probe: 'hit' });

let answer: Identity | undefined;

export const probe = {
  on: false,
  hit(module: unknown, ordinal: number, captures: unknown[]): never {
    answer = { module, ordinal, captures };
    throw HIT;
  },
};

// Both values are seen before any program code: V8 must not take `on` for a constant and deoptimise at the first capture.
probe.on = true;
probe.on = false;

export const CORE = 'turntable core';

const PROLOGUE = /([\w$]+)\.on(?:\) return| \?|\)\s*\{?\s*return|\?) ?\1\.hit\(/;
const test = RegExp.prototype.test;

/** Who `fn` is, or nothing when it is not of transformed code. Foreign functions are never called. */
export function identify(fn: AnyFunction): Identity | undefined {
  const text = sourceText(fn);
  if (text.startsWith('class') || !apply(test, PROLOGUE, [text])) return undefined;
  answer = undefined;
  probe.on = true;
  try {
    apply(fn, undefined, []);
  } catch (error) {
    if (error !== HIT) throw error;
  } finally {
    probe.on = false;
  }
  const found = answer as Identity | undefined;
  answer = undefined;
  return found;
}
