// Standard output and error as a program holds and changes them. Node makes each when `process` is first asked for it, and so does a state:
// it is known from then on, by name, and what the program does to it are changes. Listeners of the program are set again. Not standard
// input: how far it has been read is outside.
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
  /** Those that have been asked for. */
  readonly openedStreams: Map<StandardStreamName, EventEmitter> = new Map();
  /** Is told of each, before whoever has asked gets it. */
  onOpen: (name: StandardStreamName, stream: EventEmitter) => void = () => undefined;

  /** Before the program. */
  constructor() {
    for (const name of STANDARD_STREAM_NAMES) this.#watchGetter(name);
  }

  /** Asks for the stream that a state calls so. */
  open(name: string): void {
    const streamName = STANDARD_STREAM_NAMES.find((each) => name === streamObjectName(each));
    if (streamName !== undefined) void process[streamName];
  }

  /** By its path, what writes to a stream: of one that is recorded a stand-in, its own. */
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
