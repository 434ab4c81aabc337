// Scopes, variables, references and functions of one file, and where a variable is live: what analysis finds and the
// emitters ask.

import type { Node } from './ast.ts';

export type ScopeKind = 'root' | 'function' | 'block' | 'class' | 'name';
export type VariableKind =
  | 'var'
  | 'let'
  | 'const'
  | 'class'
  | 'function'
  | 'param'
  | 'catch'
  | 'import'
  | 'name'
  | 'handle';

export interface Reference {
  readonly node: Node | null;
  readonly name: string;
  readonly scope: Scope;
  readonly fn: FunctionInfo;
  /** Where in execution order the use stands, which for destructuring targets is after the right-hand side. */
  readonly position: number;
  readonly reads: boolean;
  readonly writes: boolean;
  /** The write that initialises the variable. */
  readonly initialises: boolean;
  variable: Variable | null;
  /** For a use in a closure made by a destructuring's targets: the position at which the closure is made. */
  readonly closurePosition: number | null;
  /** A use of a `for-of` or `for-in` head's name in the head's own expression: that binding is never initialised. */
  isDead?: boolean;
}

export interface BindingPattern {
  readonly node: Node;
  /** From here to `end` the pattern, its source and its defaults are evaluated. */
  readonly start: number;
  readonly end: number;
  /** A declaration in a list rather than a loop head, a `catch` or a parameter: closures before it know its names. */
  readonly inList: boolean;
}

export class Variable {
  readonly name: string;
  readonly scope: Scope;
  kind: VariableKind;
  /** From here to `declarationEnd` the variable is being initialised. */
  declarationStart: number;
  declarationEnd: number;
  /** Where the declaration really ends: names of a pattern that suspends are in use before. */
  fullDeclarationEnd = -1;
  /** Initialised by something that is no function itself, so that closures in it may run at once. */
  isInitialisedByCode = false;
  /** The pattern that binds it, with what evaluates that pattern: names of one pattern may be used by its other parts. */
  pattern: BindingPattern | null = null;
  readonly references: Reference[] = [];
  declarationCount = 1;
  isCaptured = false;
  /** Writes other than the initialisation. */
  writeCount = 0;
  hasNestedWrite = false;
  isCapturedBySuspendable = false;
  /** How the variable is stored when a plain local does not do: a `{v}` box, a `Cell` with TDZ, or a module's binding cell. */
  storage: 'local' | 'box' | 'cell' | 'binding' = 'local';
  /** For imports: the index in the table; for exported bindings: the expression of their cell. */
  bindingCode: string | null = null;
  /** A closure can outlive the scope without the declaration having been reached: a throw before it leaves the scope. */
  mayStayDead = false;
  /** Frame slot, where it lives across suspensions. */
  slot: number | null = null;
  /** Declared through a declaration that became an assignment: writes to a const must still throw. */
  isDeclaredByAssignment = false;
  /** Declared at the head of its list although it has no slot. */
  isDeclaredAtHead = false;
  /** Code of the value it has when its scope is entered: of a `var` that has its name from a parameter. */
  initialCode: string | null = null;
  functionNode: Node | null = null;

  constructor(name: string, scope: Scope, kind: VariableKind, start: number, end: number) {
    this.name = name;
    this.scope = scope;
    this.kind = kind;
    this.declarationStart = start;
    this.declarationEnd = end;
  }

  /** Of the file's own top scope: factories and step functions are compiled in it and see it natively. */
  get isRoot(): boolean {
    return this.scope.kind === 'root';
  }

  get isLexical(): boolean {
    return this.kind === 'let' || this.kind === 'const' || this.kind === 'class';
  }

  /** Its dead zone is the emitted code's affair where its declaration becomes an assignment. */
  get hasDeadZone(): boolean {
    const { fn } = this.scope;
    // Async functions evaluate their parameters in the first step, as assignments.
    const inStep = this.kind === 'param' && fn.isSuspendable && fn.async && !fn.generator;
    return this.isLexical || this.kind === 'catch' || inStep;
  }
}

export class Scope {
  readonly kind: ScopeKind;
  readonly node: Node;
  readonly parent: Scope | null;
  readonly fn: FunctionInfo;
  readonly variables = new Map<string, Variable>();

  constructor(kind: ScopeKind, node: Node, parent: Scope | null, fn: FunctionInfo) {
    this.kind = kind;
    this.node = node;
    this.parent = parent;
    this.fn = fn;
  }

  declare(name: string, kind: VariableKind, start: number, end: number): Variable {
    const existing = this.variables.get(name);
    if (existing !== undefined) {
      existing.declarationCount++;
      // A function declaration wins over a `var` or parameter of its name.
      if (kind === 'function' && existing.kind !== 'function')
        existing.kind = existing.kind === 'param' ? 'param' : 'function';
      return existing;
    }
    const variable = new Variable(name, this, kind, start, end);
    this.variables.set(name, variable);
    return variable;
  }
}

export type FunctionKind = 'root' | 'function' | 'arrow' | 'method' | 'constructor' | 'field' | 'block';

export interface ClassInfo {
  readonly node: Node;
  readonly outer: ClassInfo | null;
  readonly scope: Scope;
  readonly privates: Map<string, Node>;
  /** The variable of the class's handle (home object, private accessors), if suspended code needs one. */
  handle: Variable | null;
  handledPrivates: Set<string>;
  ordinal: number;
}

export class FunctionInfo {
  readonly node: Node;
  readonly kind: FunctionKind;
  readonly parent: FunctionInfo | null;
  readonly async: boolean;
  readonly generator: boolean;
  strict: boolean;
  /** Through nested arrows as well. */
  usesThis = false;
  usesArguments = false;
  /** Something else than reading an element happens to `arguments`. */
  leaksArguments = false;
  usesNewTarget = false;
  /** Has a `finally` or `using`: code that runs after the value of a `return` is known. */
  hasFinally = false;
  readonly captures = new Set<Variable>();
  /** Places where this very function suspends, in execution order. */
  readonly suspensionPoints: number[] = [];
  /** The loops of this function, as `[start, end]`. */
  readonly loops: [number, number][] = [];
  ordinal = -1;
  scope!: Scope;
  /** Where parameters use names that the body declares anew: the scope of the body's own, inside that of the parameters. */
  bodyScope: Scope | null = null;
  classInfo: ClassInfo | null = null;
  /** For methods of object literals with `super` in suspended code. */
  objectHandle: Variable | null = null;
  /** Names of temporaries to declare at the function's top. */
  readonly temporaries: string[] = [];
  /** For functions of a root with top-level await, true for the root only. */
  hasTopLevelAwait = false;

  constructor(node: Node, kind: FunctionKind, parent: FunctionInfo | null, strict: boolean) {
    this.node = node;
    this.kind = kind;
    this.parent = parent;
    this.strict = strict;
    const isCode = kind === 'function' || kind === 'arrow' || kind === 'method';
    this.async = isCode && node.async;
    this.generator = isCode && node.generator;
  }

  /** Async functions and generators: a wrapper stands for them. */
  get isWrapped(): boolean {
    return this.async || this.generator;
  }

  /** Runs on a frame. An async function that never awaits needs none, unless something happens after its `return`. */
  get isSuspendable(): boolean {
    return (
      this.generator || this.hasTopLevelAwait || (this.async && (this.suspensionPoints.length > 0 || this.hasFinally))
    );
  }

  /** In sloppy functions of plain parameters, `arguments` and the parameters share their values. */
  get hasMappedArguments(): boolean {
    return (
      this.usesArguments &&
      !this.strict &&
      !this.isArrow &&
      this.kind !== 'root' &&
      this.node.params.every((param) => param.type === 'Identifier')
    );
  }

  get isArrow(): boolean {
    return this.kind === 'arrow';
  }

  /** The function whose `this`, `arguments` and `super` code in this one sees. */
  get thisFunction(): FunctionInfo {
    let fn: FunctionInfo = this;
    while (fn.kind === 'arrow' && fn.parent !== null) fn = fn.parent;
    return fn;
  }
}

/**
 * Whether the variable's value at a suspension point of a function can still be used after it: by a use further on, or round
 * a loop that holds both. The variable is the function's own, or one that it captures.
 */
export function isLiveAt(variable: Variable, point: number, fn: FunctionInfo = variable.scope.fn): boolean {
  const isOwn = variable.scope.fn === fn;
  const around = isOwn ? variable.scope.node : fn.node;
  if (isOwn && point <= liveFrom(variable)) return false;
  if (point > around.end) return false;
  const loops = fn.loops.filter(
    ([start, end]) => start >= around.start && end <= around.end && start <= point && point <= end,
  );
  for (const reference of variable.references) {
    const position = reference.fn === fn ? reference.position : (reference.closurePosition ?? reference.position);
    if (position < around.start || position > around.end) continue;
    if (position >= point) return true;
    if (loops.some(([start, end]) => position >= start && position < end)) return true;
  }
  return false;
}

/** The place before which the variable has no value anybody uses. */
function liveFrom(variable: Variable): number {
  // A box exists from the start of its scope.
  if (variable.storage !== 'local') return variable.scope.node.start;
  if (variable.isLexical) return variable.declarationEnd;
  const isPlainVar =
    variable.kind === 'var' &&
    variable.declarationCount === 1 &&
    variable.references.every((reference) => reference.position >= variable.declarationStart);
  return isPlainVar ? variable.declarationEnd : variable.scope.node.start;
}

/**
 * Whether a step has the variable's value at a position: no suspension that can have happened since it got it dropped it. For
 * variables of the function itself and for copies of captured ones.
 */
export function isReadableAt(variable: Variable, position: number, fn: FunctionInfo): boolean {
  const isOwn = variable.scope.fn === fn;
  const enclosingNode = isOwn ? variable.scope.node : fn.node;
  const liveStart = isOwn ? liveFrom(variable) : -1;
  const loops = fn.loops.filter(
    ([start, end]) => start >= enclosingNode.start && end <= enclosingNode.end && start <= position && position < end,
  );
  // A `var` keeps the value of a loop's earlier turn.
  const isKept = (point: number): boolean =>
    variable.kind === 'var' && fn.loops.some(([start, end]) => start <= point && liveStart <= end);
  return fn.suspensionPoints.every((point) => {
    if (point > enclosingNode.end || (point <= liveStart && !isKept(point))) return true;
    const isBefore = point <= position || loops.some(([start, end]) => point >= start && point <= end);
    return !isBefore || isLiveAt(variable, point, fn);
  });
}

export function isLiveAcrossSuspension(variable: Variable): boolean {
  return variable.scope.fn.suspensionPoints.some((point) => isLiveAt(variable, point));
}
