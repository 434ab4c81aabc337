// The texts of files as a program loads them. A run again has each as it was read first; where a file had another text when it was loaded once more
// (`import('./page.mjs?2')` of who has changed it), the trace says which one.
import type { Tape } from '@turntable/core';
import { SOURCES } from '@turntable/recording/sources';
import { hashOfCode, type ChangedTexts } from '@turntable/loader';

const PLAIN = 0;

export function followTexts(tape: Tape): ChangedTexts {
  const name = (filename: string): string => `text of ${filename}`;
  /** Hashes. */
  const first = new Map<string, string>();
  return {
    recorded(filename) {
      if (!tape.isReplay) return undefined;
      const next = tape.peek(SOURCES.machine);
      if (!Array.isArray(next) || next[0] !== name(filename)) return undefined;
      tape.outcome(SOURCES.machine);
      return String(next[2]);
    },
    read(filename, text, settings) {
      if (tape.isReplay) return;
      const hash = hashOfCode(settings(), text);
      const before = first.get(filename);
      if (before === undefined) first.set(filename, hash);
      else if (before !== hash) tape.outcome(SOURCES.machine, [name(filename), PLAIN, hash]);
    },
  };
}
