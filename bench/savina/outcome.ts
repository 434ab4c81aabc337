// Cell for the result of a run whose actors only send one-way messages. The starting actor keeps the cell and gives the
// others a far reference to it; the last of them resolves it.

export class ResultCell<T> {
  readonly #result = Promise.withResolvers<T>();

  resolve(result: T): void {
    this.#result.resolve(result);
  }

  /** Promise of the result, for the actor that owns the cell. */
  get result(): Promise<T> {
    return this.#result.promise;
  }
}
