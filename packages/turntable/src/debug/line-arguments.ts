// The arguments of a line of the terminal: as words, or as the text that follows a number of words.
import { ReplInputError, splitWords, type Word } from './words.ts';

export class LineArguments {
  /** All arguments as they were entered. */
  readonly text: string;
  readonly #words: readonly Word[];

  constructor(text: string) {
    this.text = text.trim();
    this.#words = splitWords(this.text);
  }

  get words(): readonly string[] {
    return this.#words.map(({ text }) => text);
  }

  /** The text after some words. */
  after(count: number): string {
    const next = this.#words[count];
    return next === undefined ? '' : this.text.slice(next.offset).trim();
  }

  /** The text after some words, without the quotes around a single word. */
  textAfter(count: number): string | undefined {
    const [only, ...more] = this.#words.slice(count);
    if (only === undefined) return undefined;
    return more.length === 0 ? only.text : this.after(count);
  }

  /** Fails if there are more words than a command takes. */
  expectAtMost(count: number, usage: string): void {
    if (this.#words.length > count) throw new ReplInputError(`too many arguments; usage: ${usage}`);
  }
}
