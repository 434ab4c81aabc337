// A recording that is packed stands where a directory is asked for: it is unpacked to where nobody looks, for as long as it takes, and gone afterwards,
// whatever ends the process but SIGKILL.
import { accessSync, constants, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isPacked, unpackRecording } from '@turntable/recording/packed';
import { Progress } from '../output/progress.ts';
import { isDirectory } from './recording-in.ts';
import { sizeText } from '../output/wording.ts';

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Whether it can be asked what `withRecording` does with it: why not, if it cannot. */
export function whyNoPlace(place: string): string | undefined {
  if (isDirectory(place) || isPacked(place)) return undefined;
  if (!existsSync(place)) return `there is no directory or packed recording ${place}`;
  try {
    accessSync(place, constants.R_OK);
  } catch (error) {
    return `${place} cannot be read: ${(error as Error).message}`;
  }
  return `${place} is no directory and no packed recording`;
}

/** `use` gets the directory itself, or the one that has just been made, and what that is called where it is talked of: the file. */
export async function withRecording<T>(
  place: string,
  use: (directory: string, name?: string) => Promise<T>,
): Promise<T> {
  if (isDirectory(place)) return use(place);
  using room = new Room();
  return await use(await unpackedTo(place, room.directory), place);
}

async function unpackedTo(file: string, into: string): Promise<string> {
  const progress = new Progress();
  try {
    const { directory } = await unpackRecording(file, into, (done, of) =>
      progress.show(() => `unpacking ${sizeText(done)} of ${sizeText(of)}`),
    );
    return directory;
  } finally {
    progress.done();
  }
}

/** A directory of our own, until it is given up or the process ends. */
export class Room implements Disposable {
  readonly directory: string = mkdtempSync(join(tmpdir(), 'turntable-'));
  readonly #remove = (): void => rmSync(this.directory, { recursive: true, force: true });
  readonly #end = (signal: NodeJS.Signals): void => {
    // Who else listens says when the process ends.
    if (process.listenerCount(signal) > 1) return;
    this[Symbol.dispose]();
    process.kill(process.pid, signal);
  };

  constructor() {
    process.on('exit', this.#remove);
    for (const signal of SIGNALS) process.on(signal, this.#end);
  }

  [Symbol.dispose](): void {
    process.off('exit', this.#remove);
    for (const signal of SIGNALS) process.off(signal, this.#end);
    this.#remove();
  }
}
