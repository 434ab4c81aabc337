// The variables that a debugger shows behind a suspension, although no code there uses them. Both forms declare them at
// the start of their list. Debug mode also keeps their values beside the frame, never in its slots:
// `$F.kept = { at: 1, k0_name: name }` before the suspension, and `name = $F.kept.k0_name;` after it. A frame that comes
// from a snapshot has kept nothing, and its variables become `tt$q`.
import { type FunctionInfo, isDroppedAt, type Variable } from './scope.ts';

/** Value of a variable that a frame from a snapshot has not kept. Declared by core's statement-clock.ts. */
export const NOT_KEPT = 'tt$q';

/** Variables that all suspensions of a function may keep together, since V8 optimises functions only up to 60 kB. */
const MAX_KEPT_OF_FUNCTION = 1000;
const MIN_KEPT = 4;
const MAX_KEPT = 64;

interface KeptVariable {
  /** Null for the receiver. */
  readonly variable: Variable | null;
  /** Its property in the object of kept variables. */
  readonly key: string;
  /** Its name in the step. */
  readonly name: string;
  /** Name of its copy while a block that hides the variable is emitted; otherwise null. */
  copy: string | null;
}

/** A block that is being emitted. */
export interface KeptBlock {
  /** Number of kept variables in scope outside. */
  readonly depth: number;
  /** The variables whose names the block declares itself. */
  readonly hidden: readonly KeptVariable[];
  /** Number of suspension points before the block. */
  readonly pointsBefore: number;
}

export class KeptVariables {
  readonly #info: FunctionInfo;
  readonly #frame: string;
  readonly #isDebug: boolean;
  readonly #maxCount: number;
  #count = 0;
  #copyCount = 0;
  /** The kept variables in scope, in the order of their declarations. */
  readonly #inScope: KeptVariable[] = [];
  /** Position of each suspension point so far. */
  readonly #positions: number[] = [];

  /** @param frame variable of the frame */
  constructor(info: FunctionInfo, frame: string, isDebug: boolean) {
    this.#info = info;
    this.#frame = frame;
    this.#isDebug = isDebug;
    const perPoint = Math.floor(MAX_KEPT_OF_FUNCTION / Math.max(1, info.suspensionPoints.length));
    this.#maxCount = Math.min(MAX_KEPT, Math.max(MIN_KEPT, perPoint));
  }

  /**
   * Keeps a variable from here to the end of its scope if a suspension would drop it. Returns whether it is kept.
   * @param name name of the variable in the step
   */
  declare(variable: Variable, name = variable.name): boolean {
    const info = this.#info;
    if (this.#count >= this.#maxCount || isOfIteration(variable)) return false;
    if (!info.suspensionPoints.some((point) => isDroppedAt(variable, point, info))) return false;
    const outer = this.#inScope.filter((each) => each.variable?.name === variable.name);
    this.#count++;
    this.#add(variable, `k${outer.length}_${variable.name}`, name);
    info.kept.add(variable);
    return true;
  }

  /** Keeps the receiver of a method that does not use it. */
  declareThis(name: string): void {
    this.#add(null, 'k0_this', name);
    this.#info.keepsThis = true;
  }

  #add(variable: Variable | null, key: string, name: string): void {
    this.#inScope.push({ variable, key, name, copy: null });
  }

  /**
   * Code for the parameters without a slot and the receiver, which only the wrapper has: `save` in the wrapper, and
   * `restore` in the step before it runs for the first time.
   * @param receiver code of the receiver in the wrapper
   */
  startCode(receiver: string): { readonly save: string; readonly restore: string } {
    const given = this.#inScope.filter(({ variable }) => variable === null || this.#isGiven(variable));
    if (given.length === 0 || !this.#isDebug) return { save: '', restore: '' };
    const values = given.map(({ key, name, variable }) => `${key}: ${variable === null ? receiver : name}`);
    return { save: `${this.#frame}.kept = { at: 0, ${values.join(', ')} }; `, restore: this.#restoreCode(given) };
  }

  #isGiven({ kind, slot, scope }: Variable): boolean {
    return kind === 'param' && slot === null && scope.fn === this.#info;
  }

  /** Must be called before a block is emitted. @param names the variables that it declares */
  enterBlock(names: ReadonlyMap<string, Variable>): KeptBlock {
    const hidden = this.#inScope.filter(
      ({ variable, name, copy }) => copy === null && names.has(name) && names.get(name) !== variable,
    );
    for (const each of hidden) each.copy = `${this.#frame}${this.#copyCount++}`;
    return { depth: this.#inScope.length, hidden, pointsBefore: this.#positions.length };
  }

  /**
   * Must be called after the block. Returns the code before it, which makes the copies of hidden variables.
   * @param pc variable with the point at which the step resumes
   */
  leaveBlock({ depth, hidden, pointsBefore }: KeptBlock, pc: string): string {
    this.#inScope.length = depth;
    let code = '';
    for (const each of hidden) {
      const { variable, name, copy } = each;
      const points = this.#positions.flatMap((position, i) =>
        i >= pointsBefore && this.#isDropped(variable, position) ? [`${pc} === ${i + 1}`] : [],
      );
      each.copy = null;
      if (points.length > 0 && this.#isDebug)
        code += `if (${points.join(' || ')}) { ${this.#restoreCode([each])}} const ${copy} = ${name}; `;
    }
    return code;
  }

  /** Keys of the variables that a suspension keeps, without hidden ones. */
  keysAt(position: number): string[] {
    return this.#droppedAt(position).flatMap(({ key, copy }) => (copy === null ? [key] : []));
  }

  /** Expression before a suspension; empty if it keeps nothing. @param position position of the suspension in the source */
  saveCode(point: number, position: number): string {
    this.#positions[point - 1] = position;
    const values = this.#droppedAt(position).map(({ key, name, copy }) => `${key}: ${copy ?? name}`);
    return values.length === 0 || !this.#isDebug ? '' : `${this.#frame}.kept = { at: ${point}, ${values.join(', ')} }`;
  }

  /** Code after a suspension. */
  restoreCode(position: number): string {
    return this.#restoreCode(this.#droppedAt(position).filter(({ copy }) => copy === null));
  }

  #restoreCode(variables: readonly KeptVariable[]): string {
    if (variables.length === 0 || !this.#isDebug) return '';
    const kept = `${this.#frame}.kept`;
    const missing = variables.map(({ name }) => `${name} = `).join('');
    const found = variables.map(({ name, key }) => `${name} = ${kept}.${key}; `).join('');
    return `if (${kept} === void 0) ${missing}${NOT_KEPT}; else { ${found}} `;
  }

  #droppedAt(position: number): KeptVariable[] {
    return this.#inScope.filter(({ variable }) => this.#isDropped(variable, position));
  }

  #isDropped(variable: Variable | null, position: number): boolean {
    return variable === null || isDroppedAt(variable, position, this.#info);
  }
}

/** Whether the loop body has the variable as a constant: the box of its iteration. */
function isOfIteration({ storage, scope }: Variable): boolean {
  return storage !== 'local' && scope.node.type === 'ForStatement';
}
