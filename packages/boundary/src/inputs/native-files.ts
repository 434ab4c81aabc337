// Files that are the program's, but that a device had loaded before the program asked for them. There is one instance of a file, so the program has the device's. A
// run again loads no devices: the trace says of which files it was so, when the program asked for the first time.
import { basename, sep } from 'node:path';
import { SOURCES } from '@turntable/recording/sources';
import type { Tape, TapeValue } from '@turntable/core';
import type { StaysNative } from '@turntable/loader';

const ASKED = 'loaded by a device';

export function followNativeFiles(tape: Tape): StaysNative {
  if (tape.isReplay)
    return (filename, isLoaded) => {
      if (!isSaid(tape.peek(SOURCES.machine), filename)) return isLoaded;
      tape.outcome(SOURCES.machine);
      return true;
    };
  const said = new Set<string>();
  return (filename, isLoaded) => {
    if (isLoaded && !said.has(filename)) {
      said.add(filename);
      tape.outcome(SOURCES.machine, [ASKED, 0, placeOf(filename)]);
    }
    return isLoaded;
  };
}

function isSaid(next: TapeValue, filename: string): boolean {
  return Array.isArray(next) && next[0] === ASKED && next[2] === placeOf(filename);
}

/** The same wherever the program is installed. */
function placeOf(filename: string): string {
  const modules = `${sep}node_modules${sep}`;
  const at = filename.lastIndexOf(modules);
  return at === -1 ? basename(filename) : filename.slice(at + modules.length).replaceAll(sep, '/');
}
