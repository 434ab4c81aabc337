// Variables that console inputs have declared or assigned at the current position. Assigned ones are here only if the
// paused function alone assigns them: others are in boxes, cells or the file's scope, where closures see the new value.

export class ConsoleVariables {
  #declared = emptyRecord();
  #assigned = emptyRecord();
  /** Names of the declared variables that cannot be assigned. */
  #constants: readonly string[] = [];

  /** Must be called when the position changes. */
  clear(): void {
    this.#declared = emptyRecord();
    this.#assigned = emptyRecord();
    this.#constants = [];
  }

  /** Variables that inputs have declared. */
  get declared(): Readonly<Record<string, unknown>> {
    return this.#declared;
  }

  /** Values that inputs have assigned to variables of the function. */
  get assigned(): Readonly<Record<string, unknown>> {
    return this.#assigned;
  }

  /** An input may declare a variable again, also as another kind of variable. */
  declare(variables: Readonly<Record<string, unknown>>, constants: readonly string[]): void {
    Object.assign(this.#declared, variables);
    this.#constants = [...this.#constants.filter((name) => !(name in variables)), ...constants];
  }

  obstacleOf(name: string): 'constant' | undefined {
    return this.#constants.includes(name) ? 'constant' : undefined;
  }

  assign(name: string, value: unknown): void {
    (name in this.#declared ? this.#declared : this.#assigned)[name] = value;
  }
}

/** Not a Map: the undo log would take its changes for the program's. */
function emptyRecord(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}
