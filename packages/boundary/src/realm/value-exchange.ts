// Objects of Node's that the program and native code both know, with a few functions of ours in the place of Node's where the program
// looks. There is one truth, Node's object: what a tool or the program puts there is there for both. A function that somebody kept
// stays what it was.

export class ValueExchange {
  readonly #programValues: Map<unknown, unknown> = new Map();
  readonly #nativeValues: Map<unknown, unknown> = new Map();

  /** For the program `programValue` stands in the place of `nativeValue`. */
  put(nativeValue: unknown, programValue: unknown): void {
    this.#programValues.set(nativeValue, programValue);
    this.#nativeValues.set(programValue, nativeValue);
  }

  toProgram(value: unknown): unknown {
    return this.#programValues.has(value) ? this.#programValues.get(value) : value;
  }

  toNative(value: unknown): unknown {
    return this.#nativeValues.has(value) ? this.#nativeValues.get(value) : value;
  }

  /** What the program sees of `object`. */
  view(object: Record<string, unknown>): Record<string, unknown> {
    const describe = (key: PropertyKey): PropertyDescriptor | undefined => {
      const descriptor = Reflect.getOwnPropertyDescriptor(object, key);
      if (descriptor !== undefined && 'value' in descriptor) descriptor.value = this.toProgram(descriptor.value);
      return descriptor;
    };
    return new Proxy(object, {
      get: (target, key) => this.toProgram(Reflect.get(target, key)),
      set: (target, key, value) => Reflect.set(target, key, this.toNative(value)),
      getOwnPropertyDescriptor: (_, key) => describe(key),
      defineProperty: (target, key, descriptor) =>
        Reflect.defineProperty(
          target,
          key,
          'value' in descriptor ? { ...descriptor, value: this.toNative(descriptor.value) } : descriptor,
        ),
    });
  }
}
