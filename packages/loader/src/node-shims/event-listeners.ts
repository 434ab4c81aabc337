// Adds and removes listeners of emitters and event targets, as `events.once` and `events.on` do.
import { natives } from './natives.ts';

export type Listener = (...args: never[]) => unknown;

/** An emitter or event target. Methods that are missing throw as in Node when they are called. */
export interface Emitter {
  on(name: PropertyKey, listener: Listener): unknown;
  once(name: PropertyKey, listener: Listener): unknown;
  removeListener(name: PropertyKey, listener: Listener): unknown;
  addEventListener(name: PropertyKey, listener: Listener, options?: object): unknown;
  removeEventListener(name: PropertyKey, listener: Listener, options?: object): unknown;
  pause(): void;
  resume(): void;
}

/** Options of a listener that runs once, even after `stopImmediatePropagation`. */
export function onceOptions(): object {
  return { __proto__: null, once: true, [natives.resistStopPropagation]: true };
}

export function addListener(emitter: Emitter, name: PropertyKey, listener: Listener, options?: object): void {
  if (typeof emitter.on === 'function') {
    if ((options as { once?: boolean } | undefined)?.once === true) emitter.once(name, listener);
    else emitter.on(name, listener);
  } else if (typeof emitter.addEventListener === 'function') {
    emitter.addEventListener(name, listener, options);
  } else (0, natives.on)(emitter, name);
}

export function removeListener(emitter: Emitter, name: PropertyKey, listener: Listener, options?: object): void {
  if (typeof emitter.removeListener === 'function') emitter.removeListener(name, listener);
  else if (typeof emitter.removeEventListener === 'function') emitter.removeEventListener(name, listener, options);
  else (0, natives.on)(emitter, name);
}

/** Throws Node's errors for invalid options. */
export function checkOptions(emitter: Emitter, name: PropertyKey, options: { signal?: AbortSignal | undefined }): void {
  const isObject = typeof options === 'object' && options !== null && !Array.isArray(options);
  const signal = isObject ? options.signal : undefined;
  const isSignal = signal === undefined || (typeof signal === 'object' && signal !== null && 'aborted' in signal);
  if (!isObject || !isSignal) (0, natives.on)(emitter, name, options);
}
