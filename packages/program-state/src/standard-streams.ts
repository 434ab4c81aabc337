// Standard output and error as a program holds and changes them. Node creates each on first use, and so does a restore;
// a state refers to them by name and contains the program's changes and listeners. Standard input is not included: its
// read position is on the host side.
import { EventEmitter } from 'node:events';
import { wrapGetter } from '@turntable/loader';

export const STANDARD_STREAM_NAMES = ['stdout', 'stderr'] as const;
export type StandardStreamName = (typeof STANDARD_STREAM_NAMES)[number];

export function streamObjectName(name: StandardStreamName): string {
  return `process.${name}`;
}

export function writeFunctionName(name: StandardStreamName): string {
  return `${streamObjectName(name)}.write`;
}

export class StandardStreams {
  /** Streams created so far. */
  readonly openedStreams: Map<StandardStreamName, EventEmitter> = new Map();
  /** Called for each stream before its first user gets it. */
  onOpen: (name: StandardStreamName, stream: EventEmitter) => void = () => undefined;

  /** Must be called before the program starts. */
  constructor() {
    for (const name of STANDARD_STREAM_NAMES) this.#watchGetter(name);
  }

  /** Creates the stream that a state refers to. */
  open(name: string): void {
    const streamName = STANDARD_STREAM_NAMES.find((each) => name === streamObjectName(each));
    if (streamName !== undefined) void process[streamName];
  }

  /** Returns the function `write` of a stream, in a recorded program its surrogate; undefined if `path` names none. */
  writeFunctionNamed(path: string): object | undefined {
    const name = STANDARD_STREAM_NAMES.find((each) => path === writeFunctionName(each));
    return name === undefined ? undefined : process[name].write;
  }

  #watchGetter(name: StandardStreamName): void {
    wrapGetter(process, name, (getNative) => {
      const stream = getNative();
      if (!this.openedStreams.has(name) && stream instanceof EventEmitter) {
        this.openedStreams.set(name, stream);
        this.onOpen(name, stream);
      }
      return stream;
    });
  }
}
