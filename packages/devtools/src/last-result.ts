// The result of the last console input, which later inputs call `$_`. The server does not keep objects for clients, so
// `$_` is replaced by a literal or by the expression of the result.
import type { RemoteObject } from './remote-object.ts';

/** The evaluation of a console input. */
interface Evaluation {
  readonly expression: string;
  readonly frame: number;
  /** The position of the cursor. */
  readonly position: string;
  /** Whether it is certain that the expression has no side effects, so that it can be evaluated again. */
  readonly isPure: boolean;
}

/** `$_` outside of strings in quotes. */
const REFERENCE = /(["'])(?:\\.|(?!\1).)*\1|(?<![\w$.])\$_(?![\w$])/gs;

export class LastResult {
  #literal: string | undefined = 'undefined';
  #evaluation: Evaluation | undefined;

  keepValue(value: unknown): void {
    const literal = value === undefined ? 'undefined' : JSON.stringify(value);
    this.#literal = typeof value === 'object' && value !== null ? `(${literal})` : literal;
  }

  keep(
    { objectId, type, subtype, value, unserializableValue, description }: RemoteObject,
    evaluation: Evaluation,
  ): void {
    this.#evaluation = evaluation;
    this.#literal = undefined;
    if (objectId !== undefined) return;
    if (unserializableValue !== undefined) this.#literal = `(${unserializableValue})`;
    else if (value !== undefined || type === 'undefined' || subtype === 'null') this.keepValue(value);
    else if (type === 'boolean' || type === 'number') this.#literal = description;
  }

  /** Replaces `$_` in an input. Returns the reason if the last result is not available. */
  expand(
    input: string,
    { frame, position }: Pick<Evaluation, 'frame' | 'position'>,
  ): { readonly expression: string } | { readonly problem: string } {
    let isUsed = false;
    const expand = (replacement: string): string =>
      input.replaceAll(REFERENCE, (found) => {
        isUsed ||= found === '$_';
        return found === '$_' ? replacement : found;
      });
    const evaluation = this.#evaluation;
    const expression = expand(this.#literal ?? `(${evaluation?.expression})`);
    if (!isUsed || this.#literal !== undefined || evaluation === undefined) return { expression };
    if (evaluation.position !== position || evaluation.frame !== frame)
      return { problem: '$_ is an object of another position or call frame; evaluate its expression again' };
    if (!evaluation.isPure)
      return { problem: '$_ is not available: its expression may have side effects and is not evaluated again' };
    return { expression };
  }
}
