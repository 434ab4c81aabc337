// Terminals behind standard output and error. Programs print colours and progress only on a terminal, so a replay gives
// the streams the recorded properties, whatever its own output is.
import tty from 'node:tty';

const STREAM_NAMES = ['stdout', 'stderr'] as const;
type StreamName = (typeof STREAM_NAMES)[number];

/** Size of a terminal, in characters. */
interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** The terminals at the start of the program; null for a stream that is not one. */
export type Terminals = Readonly<Record<StreamName, TerminalSize | null>>;

/** Methods of a terminal that write to the stream or derive their result from its properties. */
const METHODS = [
  'getColorDepth',
  'hasColors',
  'getWindowSize',
  'clearLine',
  'clearScreenDown',
  'cursorTo',
  'moveCursor',
] as const;

const { defineProperty, deleteProperty, getOwnPropertyDescriptor } = Reflect;

/** Node's getters, which create the streams. Later accessors count their first use as that of the program. */
const getters = new Map(STREAM_NAMES.map((name) => [name, getOwnPropertyDescriptor(process, name)?.get]));

function streamOf(name: StreamName): object {
  return getters.get(name)?.call(process) as object;
}

/** Creates the streams that are terminals. */
export function readTerminals(): Terminals {
  const [stdout = null, stderr = null] = STREAM_NAMES.map((name, i) => {
    if (!tty.isatty(i + 1)) return null;
    const { columns, rows } = streamOf(name) as TerminalSize;
    return { columns, rows };
  });
  return { stdout, stderr };
}

/** Gives the streams the properties of the recorded ones. */
export function applyTerminals(recorded: Terminals, actual: Terminals): void {
  for (const name of STREAM_NAMES) {
    const [size, actualSize] = [recorded[name], actual[name]];
    if (size === null && actualSize === null) continue;
    const stream = streamOf(name);
    for (const key of ['columns', 'rows'] as const)
      if (size === null) deleteProperty(stream, key);
      else Object.assign(stream, { [key]: size[key] });
    defineHidden(stream, 'isTTY', size === null ? undefined : true);
    if ((size === null) === (actualSize === null)) continue;
    for (const method of METHODS)
      defineHidden(stream, method, size === null ? undefined : tty.WriteStream.prototype[method]);
  }
}

function defineHidden(stream: object, key: string, value: unknown): void {
  defineProperty(stream, key, { value, writable: true, enumerable: false, configurable: true });
}
