// Scopes, variables and references of one file, and what the emitter asks of them: which variables closures share, which
// of those need a box, what each function captures, where functions suspend.

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
  readonly created: number | null;
  /** A use of a `for-of` or `for-in` head's name in the head's own expression: that binding is never initialised. */
  dead?: boolean;
}

export class Variable {
  readonly name: string;
  readonly scope: Scope;
  kind: VariableKind;
  /** From here to `declarationEnd` the variable is being initialised. */
  declarationStart: number;
  declarationEnd: number;
  /** Where the declaration really ends: names of a pattern that suspends are in use before. */
  settledAt = -1;
  /** Initialised by something that is no function itself, so that closures in it may run at once. */
  initialisedByCode = false;
  /** Declared by a destructuring declaration. */
  byPattern = false;
  readonly references: Reference[] = [];
  declarations = 1;
  captured = false;
  /** Writes other than the initialisation. */
  writes = 0;
  nestedWrite = false;
  capturedBySuspendable = false;
  /** How the variable is stored when a plain local does not do: a `{v}` box, a `Cell` with TDZ, or a module's binding cell. */
  storage: 'local' | 'box' | 'cell' | 'binding' = 'local';
  /** For imports: the index in the table; for exported bindings: the expression of their cell. */
  bindingCode: string | null = null;
  /** Frame slot, where it lives across suspensions. */
  slot: number | null = null;
  /** Declared through a declaration that became an assignment: writes to a const must still throw. */
  converted = false;
  /** Declared at the head of its list although it has no slot. */
  declaredAhead = false;
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
    const known = this.variables.get(name);
    if (known !== undefined) {
      known.declarations++;
      // A function declaration wins over a `var` or parameter of its name.
      if (kind === 'function' && known.kind !== 'function') known.kind = known.kind === 'param' ? 'param' : 'function';
      return known;
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
  usesNewTarget = false;
  usesSuper = false;
  /** Has a `finally` or `using`: code that runs after the value of a `return` is known. */
  hasFinally = false;
  readonly captures = new Set<Variable>();
  /** Places where this very function suspends, in execution order. */
  readonly points: number[] = [];
  /** The loops of this function, as `[start, end]`. */
  readonly loops: [number, number][] = [];
  ordinal = -1;
  scope!: Scope;
  classInfo: ClassInfo | null = null;
  /** For methods of object literals with `super` in suspended code. */
  objectHandle: Variable | null = null;
  /** Names of temporaries to declare at the function's top. */
  readonly temporaries: string[] = [];
  /** For functions of a root with top-level await, true for the root only. */
  topLevelAwait = false;

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
  get wrapped(): boolean {
    return this.async || this.generator;
  }

  /** Runs on a frame. An async function that never awaits needs none, unless something happens after its `return`. */
  get suspendable(): boolean {
    return this.generator || this.topLevelAwait || (this.async && (this.points.length > 0 || this.hasFinally));
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

function isDeadUse({ node, initialises }: Reference, variable: Variable): boolean {
  const head = variable.scope.node;
  if (node === null || initialises || !variable.isLexical || !/^For(In|Of)Statement$/.test(head.type)) return false;
  return node.start >= head.right.start && node.end <= head.right.end;
}

/** Whether a place is inside the range of a node. */
function inside(position: number, node: Node): boolean {
  return position >= node.start && position < node.end;
}

/** Resolves every reference and decides the storage of every variable. */
export function resolve(references: readonly Reference[], variables: () => Iterable<Variable>): void {
  for (const reference of references) {
    for (let scope: Scope | null = reference.scope; scope !== null; scope = scope.parent) {
      const found = scope.variables.get(reference.name);
      if (found === undefined) continue;
      if (isDeadUse(reference, found)) reference.dead = true;
      else reference.variable = found;
      break;
    }
    if (reference.variable !== null && reference.writes && !reference.initialises) reference.variable.writes++;
  }
  for (const reference of references) {
    let variable = reference.variable;
    if (variable === null) continue;
    // The inner name of a class declaration is its outer one as long as nobody assigns that.
    if (variable.kind === 'name' && variable.scope.node.type === 'ClassDeclaration') {
      const outer = variable.scope.parent?.variables.get(variable.name);
      if (outer !== undefined && outer.kind === 'class' && outer.writes === 0 && !reference.writes) {
        variable = outer;
        reference.variable = outer;
      }
    }
    variable.references.push(reference);
    const owner = variable.scope.fn;
    if (reference.fn === owner) continue;
    variable.captured = true;
    if (reference.writes && variable.kind !== 'const') variable.nestedWrite = true;
    if (variable.isRoot) continue;
    for (let fn: FunctionInfo | null = reference.fn; fn !== null && fn !== owner; fn = fn.parent) {
      fn.captures.add(variable);
      if (fn.suspendable) variable.capturedBySuspendable = true;
    }
  }
  for (const variable of variables()) {
    decideStorage(variable);
    // The box of a pattern's name exists before the pattern is evaluated, and may be asked for by what the pattern evaluates.
    if (variable.storage === 'box' && variable.byPattern && variable.isLexical) variable.storage = 'cell';
  }
}

function decideStorage(variable: Variable): void {
  if (variable.isRoot || variable.kind === 'import' || variable.kind === 'name' || variable.kind === 'handle') return;
  const owner = variable.scope.fn;
  const early = isUsedEarly(variable);
  if (early && owner.suspendable && (variable.kind === 'param' || !variable.captured)) {
    variable.storage = 'cell';
    return;
  }
  if (variable.isLexical && owner.suspendable && crossesCases(variable)) {
    variable.storage = 'cell';
    return;
  }
  if (!variable.captured) return;
  if (!owner.suspendable && !variable.capturedBySuspendable) {
    // The activation is over at every job boundary, so only nested functions can still change the variable.
    if (variable.nestedWrite) variable.storage = 'box';
    return;
  }
  const hazard = variable.references.some((reference) => reference.fn !== owner && seesTooEarly(reference, variable));
  if (variable.isLexical && (hazard || (owner.suspendable && early))) {
    variable.storage = 'cell';
    return;
  }
  if (variable.writes > 0 && variable.kind !== 'const') variable.storage = 'box';
  else if (variable.kind === 'var' || (variable.kind === 'function' && variable.declarations > 1)) {
    const sets = variable.references.filter((reference) => reference.initialises);
    const inLoop = sets.some((set) => owner.loops.some(([start, end]) => set.position >= start && set.position < end));
    if (sets.length > 1 || (sets.length === 1 && (hazard || inLoop))) variable.storage = 'box';
  }
}

/** A switch can enter at a later case and find the variables of an earlier one uninitialised. */
function crossesCases(variable: Variable): boolean {
  const { node } = variable.scope;
  if (node.type !== 'SwitchStatement') return false;
  const home = node.cases.find((each) => inside(variable.declarationStart, each));
  return home !== undefined && variable.references.some((reference) => !inside(reference.position, home));
}

/** A use in the same function that stands before the declaration has finished. */
function isUsedEarly(variable: Variable): boolean {
  const owner = variable.scope.fn;
  // Async functions evaluate their parameters in the first step, as assignments.
  const isParameter = variable.kind === 'param' && owner.suspendable && owner.async && !owner.generator;
  if (!variable.isLexical && !isParameter) return false;
  return variable.references.some(
    (reference) =>
      reference.fn === owner &&
      !reference.initialises &&
      (reference.node?.start ?? reference.position) < Math.max(variable.declarationEnd, variable.settledAt) &&
      (reference.reads || reference.writes),
  );
}

function declarationOf(variable: Variable): Node {
  return { start: variable.declarationStart, end: Math.max(variable.declarationEnd, variable.settledAt) } as Node;
}

/** A closure could be created and used before the variable it captures has its value. */
function seesTooEarly(reference: Reference, variable: Variable): boolean {
  const owner = variable.scope.fn;
  let closure = reference.fn;
  let suspendable = closure.suspendable;
  while (closure.parent !== null && closure.parent !== owner) {
    closure = closure.parent;
    suspendable ||= closure.suspendable;
  }
  const hoisted = closure.node.type === 'FunctionDeclaration';
  const start = hoisted ? variable.scope.node.start : closure.node.start;
  const declaration = declarationOf(variable);
  const withinDeclaration = !hoisted && inside(closure.node.start, declaration);
  if (owner.suspendable) {
    if (withinDeclaration && variable.initialisedByCode) return true;
    if (owner.points.some((point) => point > start && point <= declaration.end)) return true;
  }
  if (!suspendable) return false;
  return !withinDeclaration && start < variable.declarationStart;
}

/**
 * Whether the variable's value at a suspension point of a function can still be used after it: by a use further on, or round
 * a loop that holds both. The variable is the function's own, or one that it captures.
 */
export function isLiveAt(variable: Variable, point: number, fn: FunctionInfo = variable.scope.fn): boolean {
  const isOwn = variable.scope.fn === fn;
  const around = isOwn ? variable.scope.node : fn.node;
  if (isOwn && point <= birthOf(variable)) return false;
  if (point > around.end) return false;
  const loops = fn.loops.filter(
    ([start, end]) => start >= around.start && end <= around.end && start <= point && point <= end,
  );
  for (const reference of variable.references) {
    const position = reference.fn === fn ? reference.position : (reference.created ?? reference.position);
    if (position < around.start || position > around.end) continue;
    if (position >= point) return true;
    if (loops.some(([start, end]) => position >= start && position < end)) return true;
  }
  return false;
}

/** The place before which the variable has no value anybody uses. */
function birthOf(variable: Variable): number {
  // A box exists from the start of its scope.
  if (variable.storage !== 'local') return variable.scope.node.start;
  if (variable.isLexical) return variable.declarationEnd;
  const plainVar =
    variable.kind === 'var' &&
    variable.declarations === 1 &&
    variable.references.every((reference) => reference.position >= variable.declarationStart);
  return plainVar ? variable.declarationEnd : variable.scope.node.start;
}

export function livesAcross(variable: Variable): boolean {
  return variable.scope.fn.points.some((point) => isLiveAt(variable, point));
}
