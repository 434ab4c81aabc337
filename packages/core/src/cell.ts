// A variable that several scopes share and that may be read before it is initialised: module exports, imports, and captured
// variables seen in their temporal dead zone. Until `init` the accessor pair on the prototype throws as V8 would;
// afterwards `v` is an own data property, so that reads cost what a property read costs.

import { Stamp } from './stamp.ts';
import { journal } from './undo/journal.ts';

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

/** A field definition is the one way to an own data property under an accessor that V8 compiles inline (10x defineProperty). */
class InitialisedCell extends Stamp {
  v: unknown;
  constructor(cell: Cell, value: unknown) {
    super(cell);
    this.v = value;
  }
}

/** Initialises the variable: from here on it is read and written freely. */
export function init(cell: Cell, value: unknown): void {
  if (journal.log !== undefined) journal.log.noteCell(cell);
  new InitialisedCell(cell, value);
}
