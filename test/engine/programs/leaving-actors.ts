// The actor of leaving.ts.
export class Box {
  readonly #things: string[] = [];

  count(): number {
    return this.#things.length;
  }

  leave(): void {
    process.exit();
  }

  put(thing: string): void {
    this.#things.push(thing);
  }
}
