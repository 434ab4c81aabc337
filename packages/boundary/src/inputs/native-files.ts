// Program files that a device had loaded before the program requested them. A file has one instance, so the program
// gets the device's. A replay loads no devices, so the trace tells at the first request that a device had loaded a
// file.
import { basename, sep } from 'node:path';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import type { Tape, TapeValue } from '@turntable/core';
import type { StaysNative } from '@turntable/loader';

const RECORD_NAME = 'loaded by a device';

export function trackNativeFiles(tape: Tape): StaysNative {
  if (tape.isReplay)
    return (filename, isLoaded) => {
      if (!isRecordedAsNative(tape.peek(TRACE_SOURCES.machine), filename)) return isLoaded;
      tape.outcome(TRACE_SOURCES.machine);
      return true;
    };
  const recorded = new Set<string>();
  return (filename, isLoaded) => {
    if (isLoaded && !recorded.has(filename)) {
      recorded.add(filename);
      tape.recordOutcome(TRACE_SOURCES.machine, [RECORD_NAME, 0, portablePath(filename)]);
    }
    return isLoaded;
  };
}

function isRecordedAsNative(next: TapeValue, filename: string): boolean {
  return Array.isArray(next) && next[0] === RECORD_NAME && next[2] === portablePath(filename);
}

/** Returns a path that is the same wherever the program is installed. */
function portablePath(filename: string): string {
  const marker = `${sep}node_modules${sep}`;
  const index = filename.lastIndexOf(marker);
  return index === -1 ? basename(filename) : filename.slice(index + marker.length).replaceAll(sep, '/');
}
