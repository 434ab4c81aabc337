// Source texts of files as the program loads them. A replay uses the first text of each file. If a file has changed
// before it is loaded again (`import('./page.mjs?2')`), the trace identifies the changed text by its hash.
import type { Tape } from '@turntable/core';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import { codeHash, type SourceChanges } from '@turntable/loader';

const PLAIN_VALUE = 0;

export function trackSourceChanges(tape: Tape): SourceChanges {
  const recordName = (filename: string): string => `text of ${filename}`;
  const firstHashes = new Map<string, string>();
  return {
    recordedHash(filename) {
      if (!tape.isReplay) return undefined;
      const next = tape.peek(TRACE_SOURCES.machine);
      if (!Array.isArray(next) || next[0] !== recordName(filename)) return undefined;
      tape.outcome(TRACE_SOURCES.machine);
      return String(next[2]);
    },
    noteRead(filename, source, settings) {
      if (tape.isReplay) return;
      const hash = codeHash(settings(), source);
      const firstHash = firstHashes.get(filename);
      if (firstHash === undefined) firstHashes.set(filename, hash);
      else if (firstHash !== hash) tape.recordOutcome(TRACE_SOURCES.machine, [recordName(filename), PLAIN_VALUE, hash]);
    },
  };
}
