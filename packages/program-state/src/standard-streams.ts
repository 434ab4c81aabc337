// Standard output and error as a program holds and changes them. Node makes each when `process` is first asked for it, and so does a state:
// it is known from then on, by name, and what the program does to it are changes. Listeners of the program are set again. Not standard
// input: how far it has been read is outside.
import { EventEmitter } from 'node:events';
import { standInGetter } from '@turntable/loader';

export const STREAM_NAMES = ['stdout', 'stderr'] as const;
export type StreamName = (typeof STREAM_NAMES)[number];

export function streamPath(name: StreamName): string {
  return `process.${name}`;
}

export function writePath(name: StreamName): string {
  return `${streamPath(name)}.write`;
}

export class StandardStreams {
  /** Those that have been asked for. */
  readonly taken: Map<StreamName, EventEmitter> = new Map();
  /** Is told of each, before whoever has asked gets it. */
  met: (name: StreamName, stream: EventEmitter) => void = () => undefined;

  /** Before the program. */
  constructor() {
    for (const name of STREAM_NAMES) this.#watch(name);
  }

  /** Asks for the stream that a state calls so. */
  ask(name: string): void {
    const found = STREAM_NAMES.find((each) => name === streamPath(each));
    if (found !== undefined) void process[found];
  }

  /** By its path, what writes to a stream: of one that is recorded a stand-in, its own. */
  writeAt(path: string): object | undefined {
    const name = STREAM_NAMES.find((each) => path === writePath(each));
    return name === undefined ? undefined : process[name].write;
  }

  #watch(name: StreamName): void {
    standInGetter(process, name, (native) => {
      const stream = native();
      if (!this.taken.has(name) && stream instanceof EventEmitter) {
        this.taken.set(name, stream);
        this.met(name, stream);
      }
      return stream;
    });
  }
}
