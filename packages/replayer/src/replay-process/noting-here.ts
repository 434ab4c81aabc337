// Who has written something, asked where a thread stands that can go back (docs/engine.md, "Who writes"): the stretch is run once more up to there, and what it writes is noted. If it was
// none of its statements, undo logs say in which stretch before it may have been, and that is run once more, to its end. The objects are those that were there: only what has come into being
// in a stretch is another one when it runs once more, so that nothing is found of it.
import type { Loader } from '../thread/loader.ts';
import type { FollowingTape } from '@turntable/runtime';
import type { FoundWrite, WriteRequest } from '@turntable/time-machine/replay-process';
import type { UndoHistory } from './undo-history.ts';
import { WriteTracker, type Sought } from './write-tracker.ts';

export class NotingHere {
  readonly #loader: Loader;
  readonly #tape: () => FollowingTape;
  readonly #past: UndoHistory;
  readonly #begun: () => number;
  /** Of the stretch that is run once more, or was. */
  #written: WriteTracker | undefined;
  #stretch = 0;
  #sought: Sought | undefined;

  /** @param begun stretches that have run */
  constructor(loader: Loader, tape: () => FollowingTape, past: UndoHistory, begun: () => number) {
    this.#loader = loader;
    this.#tape = tape;
    this.#past = past;
    this.#begun = begun;
  }

  /** Runs a stretch once more, by what is given, which tells what is noted of each statement. */
  again<T>(stretch: number, run: (written: WriteTracker) => T): T {
    const written = new WriteTracker(this.#loader, this.#tape, {
      closely: 'all',
      evaluating: (evaluate, isWriting) => this.#past.evaluate(evaluate, isWriting),
    });
    this.#written = written;
    this.#stretch = stretch;
    written.begins(stretch);
    try {
      return run(written);
    } finally {
      written.ends();
    }
  }

  /** Of the stretch that is run once more where it stands, or of what was asked before in the one that was. */
  answer(wanted: WriteRequest): FoundWrite {
    const written = this.#written;
    if (written === undefined) return nobody(wanted.text);
    if (wanted.isSought === true) return this.#answerBefore(written, wanted.text);
    const noted = written.answer(wanted);
    this.#sought = written.sought;
    const isTakenBack = this.#past.isUndoable;
    if (noted.is !== 'unwritten') return { ...noted, isTakenBack };
    return { ...this.#earlier(wanted.text), isPure: noted.isPure, isTakenBack };
  }

  #answerBefore(written: WriteTracker, text: string): FoundWrite {
    const noted = this.#sought === undefined ? nobody(text) : written.answerOf(this.#sought);
    return noted.is === 'unwritten' ? this.#earlier(text) : noted;
  }

  /** In the last stretch before this one of which nobody knows that it has not written it. */
  #earlier(text: string): FoundWrite {
    const sought = this.#sought;
    const last = this.#begun() - this.#past.undone;
    const ago = sought && this.#past.mentioned(sought.of, sought.key, last - this.#stretch + 2);
    // It is not known of what is made in them, which whoever looks further back sees.
    if (sought !== undefined && ago === undefined) return { ...nobody(text), at: [last - this.#past.depth + 1, 0, 0] };
    if (ago === undefined) return nobody(text);
    return { ...nobody(text), is: 'earlier', at: [last - ago + 1, 0, 0] };
  }
}

function nobody(part: string): FoundWrite {
  return { part, is: 'unwritten', isWhole: false, at: undefined, isPure: true };
}
