// What a client is told instead of an answer.

export class Refusal extends Error {
  /** Of `ERRORS`. */
  readonly code: number;

  /** @param message a sentence without its full stop: what is wrong, and what would be right */
  constructor(code: number, message: string) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
  }
}
