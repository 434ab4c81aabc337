// The state of the walk over a tree: the current scope and function, the names that scopes declare, references to
// names, and each function's uses of `this`, `arguments`, `super` and private names.

import { AMBIENT_NAMES } from './ambient-names.ts';
import { boundIdentifiers, markDirty, type Node } from './ast.ts';
import { type ClassInfo, FunctionInfo, type Reference, Scope, type Variable, type VariableKind } from './scope.ts';

export class Binder {
  readonly functions: FunctionInfo[] = [];
  readonly classes: ClassInfo[] = [];
  readonly references: Reference[] = [];
  readonly scopes: Scope[] = [];
  readonly identifiers = new Set<string>();
  readonly root: FunctionInfo;
  scope: Scope;
  fn: FunctionInfo;
  currentClass: ClassInfo | null = null;
  /** Position of the references being visited, where execution order differs from source order; otherwise null. */
  position: number | null = null;
  closurePosition: number | null = null;
  private readonly globalThisAtRoot: boolean;
  private objectHandles = 0;

  constructor(program: Node, { strict, globalThisAtRoot }: { strict: boolean; globalThisAtRoot: boolean }) {
    this.globalThisAtRoot = globalThisAtRoot;
    this.root = new FunctionInfo(program, 'root', null, strict);
    this.fn = this.root;
    this.scope = this.newScope('root', program);
    this.root.scope = this.scope;
  }

  newScope(kind: Scope['kind'], node: Node, fn: FunctionInfo = this.fn): Scope {
    const parent = this.scopes.length === 0 ? null : this.scope;
    const scope = new Scope(kind, node, parent, fn);
    this.scopes.push(scope);
    return scope;
  }

  inScope<T>(scope: Scope, run: () => T): T {
    const outer = this.scope;
    this.scope = scope;
    const result = run();
    this.scope = outer;
    return result;
  }

  atPosition<T>(position: number, run: () => T): T {
    const outer = this.position;
    this.position = outer ?? position;
    const result = run();
    this.position = outer;
    return result;
  }

  /** Visits a function. Its code runs at another time than the code around it. */
  inFunction(run: () => void): void {
    const { fn, scope, position, closurePosition: created } = this;
    this.closurePosition = position ?? created;
    this.position = null;
    run();
    this.fn = fn;
    this.scope = scope;
    this.position = position;
    this.closurePosition = created;
  }

  addSuspensionPoint(position: number): void {
    this.fn.suspensionPoints.push(this.position ?? position);
    if (this.fn.kind === 'root') this.fn.hasTopLevelAwait = true;
  }

  /** Declares the lexical declarations and functions of a statement list. */
  hoist(list: Node[]): void {
    for (const statement of list) {
      const node = declarationOf(statement);
      if (node === null) continue;
      switch (node.type) {
        case 'VariableDeclaration':
          if (node.kind !== 'var') this.declarePatterns(node, this.scope);
          break;
        case 'FunctionDeclaration':
          if (node.id !== null) this.declareFunction(node);
          break;
        case 'ClassDeclaration':
          if (node.id !== null) this.scope.declare(node.id.name, 'class', node.start, node.end);
          break;
        case 'ImportDeclaration':
          for (const specifier of node.specifiers) {
            this.scope.declare(specifier.local.name, 'import', specifier.start, specifier.end);
          }
          break;
      }
    }
  }

  private declareFunction(node: Node): void {
    const { name } = node.id as Node;
    const isAtTop = this.scope.kind === 'root' || this.scope.kind === 'function';
    // In sloppy code a plain function in a block is also a variable of the function. One variable represents both.
    const isAnnexB = !isAtTop && !this.fn.strict && !node.async && !node.generator && !this.isShadowedAbove(name);
    const scope = isAnnexB ? this.functionScope() : this.scope;
    const variable = scope.declare(name, isAnnexB ? 'var' : 'function', node.start, node.end);
    if (variable.functionNode === null || isAtTop) variable.functionNode = node;
    if (isAnnexB) variable.declarationCount++;
  }

  private isShadowedAbove(name: string): boolean {
    for (let scope: Scope | null = this.scope; scope !== null; scope = scope.parent) {
      const found = scope.variables.get(name);
      if (found !== undefined && found.kind !== 'function' && found.kind !== 'var') return true;
      if ((scope.kind === 'function' && scope !== scope.fn.bodyScope) || scope.kind === 'root') return false;
    }
    return false;
  }

  functionScope(): Scope {
    let scope = this.scope;
    while (scope.kind !== 'function' && scope.kind !== 'root') scope = scope.parent as Scope;
    return scope;
  }

  declarePatterns(declaration: Node, scope: Scope): void {
    const kind: VariableKind = declaration.kind === 'var' ? 'var' : declaration.kind === 'let' ? 'let' : 'const';
    for (const declarator of declaration.declarations) {
      for (const id of boundIdentifiers(declarator.id as Node)) {
        scope.declare(id.name, kind, declarator.start, declarator.end);
      }
    }
  }

  /** Variables that a pattern declares, looked up from the current scope upwards. */
  *variablesOf(pattern: Node): Iterable<Variable> {
    for (const id of boundIdentifiers(pattern)) {
      for (let scope: Scope | null = this.scope; scope !== null; scope = scope.parent) {
        const variable = scope.variables.get(id.name);
        if (variable === undefined) continue;
        yield variable;
        break;
      }
    }
  }

  addReference(node: Node, access: { reads?: boolean; writes?: boolean; initialises?: boolean }): void {
    this.identifiers.add(node.name);
    const reference: Reference = {
      node,
      name: node.name,
      scope: this.scope,
      fn: this.fn,
      position: this.position ?? node.start,
      closurePosition: this.closurePosition,
      reads: access.reads === true,
      writes: access.writes === true,
      initialises: access.initialises === true,
      variable: null,
    };
    node.ref = reference;
    this.references.push(reference);
    if (node.name === 'arguments' && this.isImplicitArguments()) {
      this.markUsed('usesArguments');
      if (!isReadOnly(node)) this.fn.thisFunction.leaksArguments = true;
      if (this.isSuspendedThis()) markDirty(node);
    } else if (node.name === 'arguments' && this.fn.thisFunction.kind === 'root') {
      this.root.usesArguments = true;
      markDirty(node);
    }
  }

  /** Whether a `this` of sloppy code can be the global object. The program must then see its own `globalThis`. */
  mayBeGlobal(node: Node): boolean {
    const { thisFunction } = this.fn;
    const isSloppy = !thisFunction.strict && (thisFunction.kind !== 'root' || this.globalThisAtRoot);
    const { parent } = node;
    const isReceiver =
      parent?.type === 'MemberExpression' &&
      parent.object === node &&
      (parent.computed || !AMBIENT_NAMES.has(parent.property.name));
    node.isSloppyThis = isSloppy && !isReceiver;
    return node.isSloppyThis;
  }

  /** Whether `this`, `arguments` and `new.target` are read from a frame at this point. */
  isSuspendedThis(): boolean {
    for (let fn: FunctionInfo | null = this.fn; fn !== null; fn = fn.parent) {
      if (fn.async || fn.generator) return true;
      if (!fn.isArrow) return false;
    }
    return false;
  }

  private isImplicitArguments(): boolean {
    for (let scope: Scope | null = this.scope; scope !== null; scope = scope.parent) {
      if (scope.variables.has('arguments')) return false;
      if (scope.kind === 'function' && scope !== scope.fn.bodyScope && !scope.fn.isArrow) return true;
    }
    return false;
  }

  /** Sets a flag of the current function, and for an arrow function also of the functions that provide its `this`. */
  markUsed(flag: 'usesThis' | 'usesArguments' | 'usesNewTarget'): void {
    for (let fn: FunctionInfo | null = this.fn; fn !== null; fn = fn.parent) {
      fn[flag] = true;
      if (!fn.isArrow) return;
    }
  }

  /** Records the use of a private name. Suspended and restored code reaches the class through the class's handle. */
  usePrivate(node: Node): void {
    let info = this.currentClass;
    while (info !== null && !info.privates.has(node.name)) info = info.outer;
    if (info === null) return;
    const enclosingFunctions: FunctionInfo[] = [];
    for (let fn: FunctionInfo | null = this.fn; fn !== null && isWithin(fn.node, info.node); fn = fn.parent) {
      enclosingFunctions.push(fn);
    }
    const isSuspended = enclosingFunctions.some((fn) => fn.isWrapped);
    if (!isSuspended && enclosingFunctions.length < 2) return;
    if (isSuspended) markDirty(node);
    this.useHandle(info);
    info.handledPrivates.add(node.name);
  }

  /** Makes a generator method use its class's handle, through which it reaches its own `prototype`. */
  useHandleForGenerator(method: FunctionInfo): void {
    const info = method.classInfo as ClassInfo;
    if (!this.isEvaluatedOnce(info)) this.useHandle(info, method);
  }

  private isEvaluatedOnce({ node: { start }, scope }: ClassInfo): boolean {
    return scope.fn.kind === 'root' && !this.root.loops.some(([from, to]) => start >= from && start < to);
  }

  private useHandle(info: ClassInfo, usingFunction = this.fn): void {
    if (info.handle === null) {
      // The handle of a class that is evaluated once is a file variable. Others have a handle for each evaluation.
      const handleScope = this.isEvaluatedOnce(info) ? (this.root.scope as Scope) : info.scope;
      info.handle = handleScope.declare(`class ${info.ordinal}`, 'handle', info.node.start, info.node.start);
    }
    this.references.push(handleReference(info.handle, usingFunction));
  }

  useSuper(): void {
    let isSuspended = false;
    let fn: FunctionInfo | null = this.fn;
    for (; fn !== null; fn = fn.parent) {
      fn.usesThis = true;
      if (fn.isWrapped) isSuspended = true;
      if (!fn.isArrow) break;
    }
    if (fn === null) return;
    const member = fn.kind === 'field' || fn.kind === 'block' ? fn.node : (fn.node.parent as Node);
    if (member.type === 'Property') {
      const literal = member.parent as Node;
      literal.scope ??= this.scopes.find((scope) => scope.node === literal) ?? this.objectScope(literal, fn);
      const handle = literal.scope.variables.values().next().value as Variable;
      fn.objectHandle = handle;
      this.references.push(handleReference(handle, this.fn));
    } else if (fn.classInfo !== null && (isSuspended || fn !== this.fn)) this.useHandle(fn.classInfo);
  }

  private objectScope(literal: Node, method: FunctionInfo): Scope {
    const scope = new Scope('block', literal, null, method.parent as FunctionInfo);
    this.scopes.push(scope);
    scope.declare(`object ${this.objectHandles++}`, 'handle', literal.start, literal.start);
    return scope;
  }
}

function handleReference({ name, scope }: Variable, fn: FunctionInfo): Reference {
  const access = { reads: true, writes: false, initialises: false };
  return { node: null, name, scope, fn, position: scope.node.end, closurePosition: null, ...access, variable: null };
}

function isWithin(node: Node, outer: Node): boolean {
  return node.start > outer.start && node.end < outer.end;
}

/** Declaration in a statement, without `export` and labels; null without one. */
export function declarationOf(statement: Node): Node | null {
  let node: Node | null = statement;
  while (node !== null && node.type === 'LabeledStatement') node = node.body;
  if (node !== null && (node.type === 'ExportNamedDeclaration' || node.type === 'ExportDefaultDeclaration')) {
    node = node.declaration;
  }
  return node;
}

/** Whether a use of `arguments` only reads its elements or length, or passes the elements on. */
function isReadOnly(use: Node): boolean {
  const { parent } = use;
  if (parent?.type === 'SpreadElement') return true;
  if (parent?.type === 'CallExpression') {
    const { callee } = parent;
    return callee.type === 'MemberExpression' && !callee.computed && callee.property.name === 'apply';
  }
  return parent?.type === 'MemberExpression' && parent.object === use && !isTarget(parent);
}

/** Whether a member is assigned to, deleted, or called as a method of its object. */
function isTarget(member: Node): boolean {
  const parent = member.parent as Node;
  switch (parent.type) {
    case 'AssignmentExpression':
    case 'AssignmentPattern':
    case 'ForInStatement':
    case 'ForOfStatement':
      return parent.left === member;
    case 'Property':
      return parent.parent?.type === 'ObjectPattern';
    case 'CallExpression':
      return parent.callee === member;
    case 'UnaryExpression':
      return parent.operator === 'delete';
    default:
      return /^(UpdateExpression|ArrayPattern|RestElement|ParenthesizedExpression)$/.test(parent.type);
  }
}
