// A variable that several scopes share and that may be read before it is initialised: module exports, imports, and captured
// variables seen in their temporal dead zone. Until `init` the accessor pair on the prototype throws as V8 would;
// afterwards `v` is an own data property, so that reads cost what a property read costs.

export class Cell {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  get v(): unknown {
    throw new ReferenceError(`Cannot access '${this.name}' before initialization`);
  }

  set v(_value: unknown) {
    throw new ReferenceError(`Cannot access '${this.name}' before initialization`);
  }
}

const { defineProperty } = Object;

/** Initialises the variable: from here on it is read and written freely. */
export function init(cell: Cell, value: unknown): void {
  defineProperty(cell, 'v', { value, writable: true, enumerable: true, configurable: true });
}
