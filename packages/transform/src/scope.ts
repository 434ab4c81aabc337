// Scopes, variables, references and functions of one file, and the liveness of variables. The analysis fills this
// model, and the emitters read it.

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
  /** Position in execution order. Targets of a destructuring come after its right-hand side. */
  readonly position: number;
  readonly reads: boolean;
  readonly writes: boolean;
  /** Whether this write initialises the variable. */
  readonly initialises: boolean;
  variable: Variable | null;
  /** Position at which a destructuring makes the closure that contains this reference; null for other references. */
  readonly closurePosition: number | null;
  /** Whether the head of a `for-of` or `for-in` uses the name that it declares. That binding is never initialised. */
  isDead?: boolean;
}

export interface BindingPattern {
  readonly node: Node;
  /** Start of the code that evaluates the pattern, its source and its defaults. */
  readonly start: number;
  readonly end: number;
  /** Whether this is a declaration in a statement list, whose names earlier closures know. A loop head is not. */
  readonly inList: boolean;
}

export class Variable {
  readonly name: string;
  readonly scope: Scope;
  kind: VariableKind;
  /** Start of the initialisation of the variable, which ends at `declarationEnd`. */
  declarationStart: number;
  declarationEnd: number;
  /** Actual end of the declaration, if a pattern that suspends uses its names earlier; otherwise -1. */
  fullDeclarationEnd = -1;
  /** Whether the initialiser is other code than a single function or class, so that closures in it may run at once. */
  isInitialisedByCode = false;
  /** Pattern that binds the variable. Other parts of the pattern may use the name. */
  pattern: BindingPattern | null = null;
  readonly references: Reference[] = [];
  declarationCount = 1;
  isCaptured = false;
  /** Writes other than the initialisation. */
  writeCount = 0;
  hasNestedWrite = false;
  isCapturedBySuspendable = false;
  /**
   * Storage of the variable: a native local, a `{v}` box, a `Cell` with a dead zone, or the cell of a module binding.
   */
  storage: 'local' | 'box' | 'cell' | 'binding' = 'local';
  /** Code of an exported binding's cell; for an import, its index in the table. */
  bindingCode: string | null = null;
  /** Whether a throw can leave the scope before the declaration, while a closure keeps the variable. */
  mayStayDead = false;
  /** Frame slot of a variable that is live across suspensions; otherwise null. */
  slot: number | null = null;
  /** Whether an assignment replaces the declaration. Emitted code must then make writes to a `const` throw. */
  isDeclaredByAssignment = false;
  /** Whether the variable is declared at the start of its list although it has no slot. */
  isDeclaredAtHead = false;
  /** Code of the initial value of a `var` that is named like a parameter; null for others. */
  initialCode: string | null = null;
  functionNode: Node | null = null;

  constructor(name: string, scope: Scope, kind: VariableKind, start: number, end: number) {
    this.name = name;
    this.scope = scope;
    this.kind = kind;
    this.declarationStart = start;
    this.declarationEnd = end;
  }

  /** Whether the variable is in the file's top scope, which factories and step functions can access natively. */
  get isRoot(): boolean {
    return this.scope.kind === 'root';
  }

  get isLexical(): boolean {
    return this.kind === 'let' || this.kind === 'const' || this.kind === 'class';
  }

  /** Whether the variable has a dead zone. Emitted code implements it where an assignment replaces the declaration. */
  get hasDeadZone(): boolean {
    const { fn } = this.scope;
    // An async function assigns its parameters in the first step.
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
      // A function declaration has precedence over a `var` of the same name.
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
  /** Variable of the class's handle (home object, private accessors); null if no code needs a handle. */
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
  /** Whether the function uses `this`, itself or through nested arrow functions. */
  usesThis = false;
  usesArguments = false;
  /** Whether `arguments` has uses other than reading an element or the length. */
  leaksArguments = false;
  usesNewTarget = false;
  /** Whether the function has a `finally` or `using`, whose code runs after the value of a `return` is known. */
  hasFinally = false;
  readonly captures = new Set<Variable>();
  /** Variables that debug mode keeps where their values are not used any more (kept-variables.ts). */
  readonly kept = new Set<Variable>();
  /** Whether debug mode keeps the receiver, which the function does not use. */
  keepsThis = false;
  /** Positions at which this function suspends, without nested functions, in execution order. */
  readonly suspensionPoints: number[] = [];
  /** Loops of this function, as `[start, end]`. */
  readonly loops: [number, number][] = [];
  ordinal = -1;
  scope!: Scope;
  /** Scope of the body, if the parameters need a separate scope (body-names.ts); otherwise null. */
  bodyScope: Scope | null = null;
  classInfo: ClassInfo | null = null;
  /** Variable that holds the object literal of a method with `super` in suspended code; null for other functions. */
  objectHandle: Variable | null = null;
  /** Names of temporaries, declared at the top of the function. */
  readonly temporaries: string[] = [];
  /** Whether the file has top-level await. Set only for the root function. */
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

  /** Whether the function becomes a wrapper: async functions and generators. */
  get isWrapped(): boolean {
    return this.async || this.generator;
  }

  /**
   * Whether the function needs a frame. Without `await`, an async function needs one if code runs after its `return`.
   */
  get isSuspendable(): boolean {
    return (
      this.generator || this.hasTopLevelAwait || (this.async && (this.suspensionPoints.length > 0 || this.hasFinally))
    );
  }

  /** Whether `arguments` and the parameters share their values: in sloppy functions with plain parameters. */
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

  /** Function that provides `this`, `arguments` and `super` of this function. */
  get thisFunction(): FunctionInfo {
    let fn: FunctionInfo = this;
    while (fn.kind === 'arrow' && fn.parent !== null) fn = fn.parent;
    return fn;
  }
}

/**
 * Whether the value of a variable at a suspension point can still be used: later in the code, or in the next round of a
 * loop around both. The variable belongs to the function or is captured by it.
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

/** Whether a variable is in scope at a suspension point and may have a value that is not used any more. */
export function isDroppedAt(variable: Variable, point: number, fn: FunctionInfo): boolean {
  const { scope, kind } = variable;
  if (isLiveAt(variable, point, fn)) return false;
  if (scope.fn !== fn) return true;
  // A `var` has the value of an earlier round of a loop.
  const start = kind === 'var' ? scope.node.start : liveFrom(variable);
  return point > start && point <= scope.node.end;
}

/** Position before which the value of a variable is not used. */
function liveFrom(variable: Variable): number {
  // A box exists from the start of its scope on.
  if (variable.storage !== 'local') return variable.scope.node.start;
  if (variable.isLexical) return variable.declarationEnd;
  const isPlainVar =
    variable.kind === 'var' &&
    variable.declarationCount === 1 &&
    variable.references.every((reference) => reference.position >= variable.declarationStart);
  return isPlainVar ? variable.declarationEnd : variable.scope.node.start;
}

/**
 * Whether a step has the value of a variable at a position, because no earlier suspension can have dropped it.
 */
export function isReadableAt(variable: Variable, position: number, fn: FunctionInfo): boolean {
  const isOwn = variable.scope.fn === fn;
  const enclosingNode = isOwn ? variable.scope.node : fn.node;
  const liveStart = isOwn ? liveFrom(variable) : -1;
  const loops = fn.loops.filter(
    ([start, end]) => start >= enclosingNode.start && end <= enclosingNode.end && start <= position && position < end,
  );
  // A `var` keeps the value of an earlier round of a loop.
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
