// Scopes, variables, references and functions of one file, and the liveness of variables. Analysis fills this model,
// the emitters read it.

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
  /** The write that initialises the variable. */
  readonly initialises: boolean;
  variable: Variable | null;
  /** For a use in a closure made by a destructuring's targets: the position at which the closure is made. */
  readonly closurePosition: number | null;
  /** Whether the head of a `for-of` or `for-in` uses its own name: that binding is never initialised. */
  isDead?: boolean;
}

export interface BindingPattern {
  readonly node: Node;
  /** From here to `end`, the pattern, its source and its defaults are evaluated. */
  readonly start: number;
  readonly end: number;
  /** Whether it is a declaration in a list, not a loop head, `catch` or parameter: earlier closures know its names. */
  readonly inList: boolean;
}

export class Variable {
  readonly name: string;
  readonly scope: Scope;
  kind: VariableKind;
  /** From here to `declarationEnd` the variable is being initialised. */
  declarationStart: number;
  declarationEnd: number;
  /** Actual end of the declaration. Names of a pattern that suspends are used before it. */
  fullDeclarationEnd = -1;
  /** Whether code other than a single function initialises it: closures in that code may run at once. */
  isInitialisedByCode = false;
  /** Pattern that binds the variable, with the code that evaluates it: other parts of the pattern may use the name. */
  pattern: BindingPattern | null = null;
  readonly references: Reference[] = [];
  declarationCount = 1;
  isCaptured = false;
  /** Writes other than the initialisation. */
  writeCount = 0;
  hasNestedWrite = false;
  isCapturedBySuspendable = false;
  /** Storage if a plain local is insufficient: a `{v}` box, a `Cell` with TDZ, or a module's binding cell. */
  storage: 'local' | 'box' | 'cell' | 'binding' = 'local';
  /** For imports: the index in the table; for exported bindings: the expression of their cell. */
  bindingCode: string | null = null;
  /** Whether a throw can leave the scope before the declaration, while a closure keeps the variable. */
  mayStayDead = false;
  /** Frame slot, if it is live across suspensions. */
  slot: number | null = null;
  /** Whether an assignment replaces the declaration: writes to a const must still throw. */
  isDeclaredByAssignment = false;
  /** Whether it is declared at the start of its list although it has no slot. */
  isDeclaredAtHead = false;
  /** Code of its value at the start of the scope, for a `var` named like a parameter. */
  initialCode: string | null = null;
  functionNode: Node | null = null;

  constructor(name: string, scope: Scope, kind: VariableKind, start: number, end: number) {
    this.name = name;
    this.scope = scope;
    this.kind = kind;
    this.declarationStart = start;
    this.declarationEnd = end;
  }

  /** Whether it is in the file's top scope, which factories and step functions see natively. */
  get isRoot(): boolean {
    return this.scope.kind === 'root';
  }

  get isLexical(): boolean {
    return this.kind === 'let' || this.kind === 'const' || this.kind === 'class';
  }

  /** Whether emitted code must implement the dead zone, because an assignment replaces the declaration. */
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
  /** Variable of the class's handle (home object, private accessors), if suspended code needs one. */
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
  /** Also through nested arrows. */
  usesThis = false;
  usesArguments = false;
  /** Whether `arguments` is used other than by reading an element. */
  leaksArguments = false;
  usesNewTarget = false;
  /** Whether it has a `finally` or `using`, which run after the value of a `return` is known. */
  hasFinally = false;
  readonly captures = new Set<Variable>();
  /** Positions at which this function itself suspends, in execution order. */
  readonly suspensionPoints: number[] = [];
  /** The loops of this function, as `[start, end]`. */
  readonly loops: [number, number][] = [];
  ordinal = -1;
  scope!: Scope;
  /** Scope of the body inside that of the parameters, if parameters use names that the body redeclares. */
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

  /** Async functions and generators have a wrapper. */
  get isWrapped(): boolean {
    return this.async || this.generator;
  }

  /** Whether it runs on a frame. An async function without `await` needs none, unless code runs after its `return`. */
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

  /** Function whose `this`, `arguments` and `super` this one uses. */
  get thisFunction(): FunctionInfo {
    let fn: FunctionInfo = this;
    while (fn.kind === 'arrow' && fn.parent !== null) fn = fn.parent;
    return fn;
  }
}

/**
 * Whether the value of a variable at a suspension point can be used later, further on or in the next round of a loop
 * around both. The variable belongs to the function, or is captured by it.
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

/** Position before which no value of the variable is used. */
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
 * Whether a step has the value of a variable, or of its copy, at a position: no suspension can have dropped it since.
 */
export function isReadableAt(variable: Variable, position: number, fn: FunctionInfo): boolean {
  const isOwn = variable.scope.fn === fn;
  const enclosingNode = isOwn ? variable.scope.node : fn.node;
  const liveStart = isOwn ? liveFrom(variable) : -1;
  const loops = fn.loops.filter(
    ([start, end]) => start >= enclosingNode.start && end <= enclosingNode.end && start <= position && position < end,
  );
  // A `var` keeps its value from an earlier round of a loop.
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
