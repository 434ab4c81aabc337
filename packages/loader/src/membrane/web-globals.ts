// Names of the global object behind which there is an outside: connections, ports, streams whose ticks are Node's own. For transformed code they
// lead through the table of ambient names, so that a program that is recorded can be shown handles there while Node, whose own code reads
// some of them, keeps what it has. Some load Node's network code when they are first read: nobody here reads one before somebody else has.
import { LAZY_NAMES, type LazyGlobals } from '../realm/lazy-globals.ts';

/** Outside where the program is recorded. */
export const WEB_NAMES: ReadonlySet<PropertyKey> = new Set<PropertyKey>([
  'fetch',
  'Request',
  'Response',
  'FormData',
  'WebSocket',
  'EventSource',
  'Blob',
  'File',
  'BroadcastChannel',
  'MessageChannel',
  'MessagePort',
  'ReadableStream',
  'ReadableStreamDefaultReader',
  'ReadableStreamBYOBReader',
  'ReadableStreamBYOBRequest',
  'ReadableByteStreamController',
  'ReadableStreamDefaultController',
  'TransformStream',
  'TransformStreamDefaultController',
  'WritableStream',
  'WritableStreamDefaultController',
  'WritableStreamDefaultWriter',
  'ByteLengthQueuingStrategy',
  'CountQueuingStrategy',
  'TextEncoderStream',
  'TextDecoderStream',
  'CompressionStream',
  'DecompressionStream',
]);

/** Node loads its network code for these. */
export const LOADED_LATE: ReadonlySet<PropertyKey> = LAZY_NAMES;

type Globals = Record<PropertyKey, unknown>;

/** Node's own, as a module would export them. What is put there is there for native code. */
export function createWebGlobals(lazy: LazyGlobals): Globals {
  const globals = globalThis as unknown as Globals;
  const exports: Globals = {};
  for (const name of WEB_NAMES) {
    Object.defineProperty(exports, name, {
      get: () => globals[name],
      set(value: unknown) {
        lazy.noteWritten(name);
        globals[name] = value;
      },
      enumerable: true,
      configurable: true,
    });
  }
  return exports;
}

let shown: ((name: string) => unknown) | undefined;

/** From now on the program sees these in the places of Node's; before it is loaded. */
export function showWebGlobalsBy(show: { get(name: string): unknown; set(name: string, value: unknown): void }): void {
  throw new Error('not yet');
}
