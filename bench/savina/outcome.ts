// What comes of a run in which messages only move on: whoever starts it keeps the outcome and gives the actors a far reference to it. The last
// of them tells it the result.

export class ResultCell<T> {
  readonly #result = Promise.withResolvers<T>();

  resolve(result: T): void {
    this.#result.resolve(result);
  }

  /** For whoever has the object itself. */
  get result(): Promise<T> {
    return this.#result.promise;
  }
}
