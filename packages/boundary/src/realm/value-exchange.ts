// Node's objects that the program and native code share, with a few functions replaced in the program's view. The only
// state is Node's object, so whatever a tool or the program puts there is visible to both. A function that was read
// earlier stays the same.

export class ValueExchange {
  readonly #programValues: Map<unknown, unknown> = new Map();
  readonly #nativeValues: Map<unknown, unknown> = new Map();

  /** Makes the program see `programValue` wherever an object has `nativeValue`. */
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
