// Changes to a source text, made in any order and rendered once. Replacements can be nested: the code of the outer one
// renders the parts that it keeps.

import { type Code, Span } from './code.ts';

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly code: () => Code;
}

export class SourceEdits {
  readonly #edits: Edit[] = [];
  #isSorted = true;

  get isEmpty(): boolean {
    return this.#edits.length === 0;
  }

  /** Replaces a range. @param code if a function, it runs at rendering, and must not render the whole range again */
  replace(start: number, end: number, code: Code | (() => Code) = ''): void {
    this.#edits.push({ start, end, code: typeof code === 'function' ? code : () => code });
    this.#isSorted = false;
  }

  insert(offset: number, code: Code | (() => Code)): void {
    this.replace(offset, offset, code);
  }

  /** Code of the text from `start` to `end`, with all changes inside. */
  render(start: number, end: number): Code {
    const edits = this.#edits;
    if (!this.#isSorted) {
      // Insertions come before the text at their offset, and outer replacements before inner ones.
      const rank = (edit: Edit): number => (edit.end === edit.start ? -Infinity : -edit.end);
      edits.sort((a, b) => a.start - b.start || (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
      this.#isSorted = true;
    }
    const parts: Code[] = [];
    let offset = start;
    for (let i = this.#firstEditFrom(start); i < edits.length; i++) {
      const edit = edits[i] as Edit;
      if (edit.start > end) break;
      if (edit.start < offset || edit.end > end) continue;
      if (edit.start > offset) parts.push(new Span(offset, edit.start));
      parts.push(edit.code());
      offset = edit.end;
    }
    if (offset < end) parts.push(new Span(offset, end));
    return parts;
  }

  #firstEditFrom(offset: number): number {
    let low = 0;
    let high = this.#edits.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#edits[middle] as Edit).start < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
