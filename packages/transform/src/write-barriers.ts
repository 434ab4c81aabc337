// Debug mode: barriers before everything that code writes, for the undo log (docs/internals/undo.md). `tt$w` is true while a log
// takes notes. Until this happens for the first time, V8 treats `tt$w` as a constant. The old value is noted in the
// same task as the write and before it, whatever is evaluated between the two.
//
//   o.x = v        (tt$w && tt$o(o, "x"), o).x = v       an operand that may be evaluated twice
//   f().x = v      tt$o(f(), "x").x = v                  these functions return their first argument
//   o[f()] = v     tt$i(o)[tt$k(f())] = v                object and key one after the other
//   o.#x = v       (tt$w && tt$p(o, "x"), o).#x = v
//   delete o.x     delete (tt$w && tt$d(o), o).x
//   a.b.x = () =>  (tt$w && tt$f(a, "b", "x"), a.b.x = () => …)   V8 names a function in stacks by its target
//   top = v        (tt$w && tt$g($$M), top = v)          a top-scope variable; undeclared: tt$g(null, "top")
//   re.exec(s)     re.exec((tt$w && tt$f(re, "lastIndex"), s))   and s.replace(re, …): replaced methods would be slow
//
// Boxes and cells are treated as objects. Core notes its own objects, such as frames. Barriers use no temporaries,
// which would turn an arrow function's expression into a body, and would wrap a field's initialiser in a function.
// Guarded by `npm run bench:probes`.

import {
  skipParens,
  childrenOf,
  containsFunction,
  isFunction,
  markDirty,
  type Node,
  statements,
  targetsOf,
} from './ast.ts';
import type { Analysis } from './analysis.ts';
import type { Code } from './code.ts';
import type { CodeEmitter } from './code-emitter.ts';
import type { FunctionInfo, Variable } from './scope.ts';

/** Names of the context's lexical variables that barriers use. */
export const BARRIER_NAMES = ['tt$w', 'tt$o', 'tt$i', 'tt$k', 'tt$p', 'tt$d', 'tt$g', 'tt$f'] as const;

/** Parameters of the function around a CommonJS file, which are variables of the file's top scope. */
export const COMMONJS_PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname'] as const;
export const COMMONJS_NAMES: ReadonlySet<string> = new Set(COMMONJS_PARAMETERS);

export class WriteBarriers {
  private readonly writtenMembers = new Set<Node>();
  private readonly deletedMembers = new Set<Node>();
  /** Members in a `delete o?.a.x`. They must stay together, because the chain may skip them. */
  private readonly deletedInChains = new Set<Node>();
  /** Expressions that assign variables of the top scope. For a loop, this is the iterated expression. */
  private readonly assignsTopScope = new Set<Node>();
  /** Names of the undeclared variables that each expression assigns. */
  private readonly assignedGlobals = new Map<Node, Set<string>>();
  /** Target of each assignment whose value contains a function. */
  private readonly functionTargets = new Map<Node, Node>();
  /** First argument of each call that may change the `lastIndex` of an expression, with this expression. */
  private readonly matchedExpressions = new Map<Node, Node>();
  /** Expressions that write to `this` through a `super` member. */
  private readonly superWrites = new Set<Node>();

  constructor(program: Node, { root }: Analysis) {
    this.visit(program, root);
  }

  /** Adds a barrier to an expression whose write does not go through `emitMember`. */
  withBarrier(e: CodeEmitter, node: Node, code: Code): Code {
    const names = [...(this.assignedGlobals.get(node) ?? [])].filter((name) => !e.ambientNames.has(name));
    const globals = names.map((name) => `tt$w && tt$g(null, "${name}"), `);
    const topScopeCode = this.assignsTopScope.has(node) ? `${this.topScopeBarrier(e)}, ` : '';
    if (topScopeCode !== '' || globals.length > 0) return ['(', topScopeCode, globals, code, ')'];
    const expression = this.matchedExpressions.get(node);
    if (expression !== undefined)
      return ['(tt$w && ', this.pathBarrier(e, expression, ', "lastIndex"'), ', ', code, ')'];
    const target = this.functionTargets.get(node);
    // For a suspending expression, this code is emitted after its parts have been saved in slots.
    if (target !== undefined) return ['(tt$w && ', this.pathBarrier(e, target), ', ', code, ')'];
    if (node.type === 'UnaryExpression' && this.deletedInChains.has(skipParens(node.argument as Node)))
      return ['(tt$w && ', this.chainBarrier(e, skipParens(node.argument as Node)), ', ', code, ')'];
    if (this.superWrites.has(node)) return [`(tt$w && tt$d(${e.context.thisCode}), `, code, ')'];
    return code;
  }

  topScopeBarrier(e: CodeEmitter): string {
    return `tt$w && tt$g(${e.prefix}M)`;
  }

  private pathBarrier(e: CodeEmitter, target: Node, last = ''): Code {
    const path: Code[] = [];
    let current = target;
    for (; current.type === 'MemberExpression'; current = skipParens(current.object))
      path.unshift(', ', current.computed ? e.emit(current.property) : JSON.stringify(current.property.name));
    return ['tt$f(', current.type === 'Identifier' ? e.emitIdentifier(current) : e.emit(current), path, last, ')'];
  }

  /** Barrier of a `delete` in an optional chain. It notes all properties of the object, or prevents undo. */
  private chainBarrier(e: CodeEmitter, chain: Node): Code {
    const { object } = skipParens(chain.type === 'ChainExpression' ? chain.expression : chain);
    let current = skipParens(object);
    const path: Code[] = [];
    for (; current.type === 'MemberExpression' && !current.computed; current = skipParens(current.object))
      path.unshift(', ', JSON.stringify(current.property.name));
    return current.type === 'Identifier' || current.type === 'ThisExpression'
      ? ['tt$f(', e.emit(current), path, ', null)']
      : 'tt$f(null)';
  }

  /** Code of a member that is written or deleted; null for other members. */
  emitMember(e: CodeEmitter, node: Node): Code | null {
    const isDeleted = this.deletedMembers.has(node);
    if (!isDeleted && !this.writtenMembers.has(node)) return null;
    const { object, property } = node;
    const objectCode = e.emit(object);
    const canRepeat = isRepeatable(e, object);
    if (isDeleted) return emitWithObject(e, node, barrierCall('tt$d', objectCode, '', canRepeat));
    if (!node.computed) {
      const name = property.type === 'PrivateIdentifier' ? 'tt$p' : 'tt$o';
      const key = `, ${JSON.stringify(property.name)}`;
      return emitWithObject(e, node, barrierCall(name, objectCode, key, canRepeat));
    }
    const keyCode = e.emit(property);
    if (isRepeatable(e, property))
      return emitWithObject(e, node, barrierCall('tt$o', objectCode, [', ', keyCode], canRepeat));
    return emitReplacing(e, property, ['tt$k(', keyCode, ')'], () =>
      emitWithObject(e, node, ['tt$i(', objectCode, ')']),
    );
  }

  private visit(node: Node, fn: FunctionInfo): void {
    const inner = isFunction(node) ? (node.fn as FunctionInfo) : fn;
    switch (node.type) {
      case 'WithStatement':
        // Inside `with`, the lookup of the barriers' names would be visible to the program.
        return this.visit(node.object, fn);
      case 'AssignmentExpression': {
        const target = skipParens(node.left);
        if (node.suspends !== true && isPath(target) && containsFunction(node.right)) {
          if (!isUnsharedThis(target.object, fn)) {
            this.functionTargets.set(node, target);
            markDirty(node);
          }
        } else this.visitTarget(node.left, fn, node);
        break;
      }
      case 'CallExpression':
        this.visitMatchCall(node);
        break;
      case 'UpdateExpression':
        this.visitTarget(node.argument as Node, fn, node);
        break;
      case 'UnaryExpression':
        if (node.operator === 'delete') this.visitDeletion(skipParens(node.argument as Node));
        break;
      case 'ForInStatement':
      case 'ForOfStatement':
        if (node.left.type !== 'VariableDeclaration') this.visitTarget(node.left, fn, node.right);
        break;
      case 'StaticBlock':
      case 'PropertyDefinition':
        if (node.type === 'PropertyDefinition' && node.computed) this.visit(node.key, fn);
        for (const each of node.type === 'StaticBlock' ? statements(node) : [node.value])
          if (each !== null) this.visit(each, (node.fn as FunctionInfo | undefined) ?? fn);
        return;
    }
    for (const child of childrenOf(node)) this.visit(child, inner);
  }

  private visitDeletion(node: Node): void {
    const member = node.type === 'ChainExpression' ? skipParens(node.expression) : node;
    if (member.type !== 'MemberExpression' || member.object.type === 'Super') return;
    if (isOptional(member.object)) return this.addDirty(this.deletedInChains, node);
    this.deletedMembers.add(member);
    markDirty(member);
  }

  private visitMatchCall({ callee, arguments: [first] }: Node): void {
    const member = skipParens(callee);
    if (member.type !== 'MemberExpression' || member.computed || first === undefined) return;
    const { name } = member.property;
    const expression = MOVING_METHODS.test(name)
      ? skipParens(member.object)
      : ARGUMENT_MOVING_METHODS.test(name)
        ? skipParens(first)
        : undefined;
    if (expression === undefined || first.type === 'SpreadElement' || !isNamePath(expression)) return;
    this.matchedExpressions.set(first, expression);
    markDirty(first);
  }

  /** Records the writes of an assignment target. @param expression the expression that writes the target */
  private visitTarget(target: Node, fn: FunctionInfo, expression: Node): void {
    for (const node of targetsOf(skipParens(target)).map(skipParens)) {
      if (node.type === 'Identifier') {
        if (node.ref?.variable === null) this.addGlobalAssignment(node.name, expression);
        else if (isOfTopScope(node.ref?.variable)) this.addDirty(this.assignsTopScope, expression);
      } else if (node.type === 'MemberExpression') {
        if (node.object.type === 'Super') this.addDirty(this.superWrites, expression);
        else if (!isUnsharedThis(node.object, fn)) this.addDirty(this.writtenMembers, node);
      }
    }
  }

  private addGlobalAssignment(name: string, expression: Node): void {
    if (COMMONJS_NAMES.has(name)) return this.addDirty(this.assignsTopScope, expression);
    const names = this.assignedGlobals.get(expression) ?? new Set();
    this.assignedGlobals.set(expression, names.add(name));
    markDirty(expression);
  }

  private addDirty(nodes: Set<Node>, node: Node): void {
    nodes.add(node);
    markDirty(node);
  }
}

/** Object and key that an assignment to a name really writes: a box, a cell or the ambient table; null for others. */
function nameHolder(e: CodeEmitter, { ref, name }: Node): { object: string; key: string } | null {
  if (e.barriers === null || ref === undefined || ref.isDead === true) return null;
  const { variable } = ref;
  if (variable === null) return e.ambientNames.has(name) ? { object: e.helper('A'), key: name } : null;
  if (variable.storage === 'local') return null;
  return { object: variable.storage === 'binding' ? (variable.bindingCode as string) : variable.name, key: 'v' };
}

/** Code of a name as an assignment target that contains the barrier. */
export function emitNameWithBarrier(e: CodeEmitter, node: Node, code: Code): Code {
  const holder = nameHolder(e, node);
  if (holder === null) return code;
  return `(tt$w && tt$o(${holder.object}, "${holder.key}"), ${holder.object}).${holder.key}`;
}

/** Code of an assignment to a name, after its barrier. V8 still names an assigned function after the target. */
export function emitAssignmentWithBarrier(e: CodeEmitter, node: Node, code: Code): Code {
  const holder = nameHolder(e, node);
  return holder === null ? code : [`(tt$w && tt$o(${holder.object}, "${holder.key}"), `, code, ')'];
}

/** Function with which the undo log sets assignable variables of the top scope by index; empty if there are none. */
export function emitScopeWriter(e: CodeEmitter, variables: readonly string[]): string {
  if (e.barriers === null) return '';
  const { root, rootScope } = e.analysis;
  const assignedIndexes = variables.flatMap((name, index) => {
    const variable = rootScope.variables.get(name);
    const isAssigned =
      variable === undefined ? COMMONJS_NAMES.has(name) : variable.writeCount > 0 || root.hasTopLevelAwait;
    return isAssigned ? [index] : [];
  });
  if (assignedIndexes.length === 0) return '';
  const cases = assignedIndexes.map((index) => `case ${index}: ${variables[index]} = ${e.prefix}c; break; `).join('');
  return `, (${e.prefix}i, ${e.prefix}c) => { switch (${e.prefix}i) { ${cases}} }, [${assignedIndexes.join(', ')}]`;
}

export function isOfTopScope(variable: Variable | null | undefined): boolean {
  return variable?.isRoot === true && variable.storage === 'local' && variable.kind !== 'import';
}

/** Whether a target is a chain of names, which the undo log can follow by itself. The last may be a literal. */
function isPath(target: Node): boolean {
  if (target.type !== 'MemberExpression') return false;
  const { property } = target;
  if (property.type === 'PrivateIdentifier' || (target.computed && property.type !== 'Literal')) return false;
  return isNamePath(skipParens(target.object));
}

/** Methods that change the `lastIndex` of their receiver. `ARGUMENT_MOVING_METHODS` change that of an argument. */
const MOVING_METHODS = /^(exec|test)$/;
const ARGUMENT_MOVING_METHODS = /^(match|replace|replaceAll)$/;

function isNamePath(node: Node): boolean {
  let current = node;
  while (
    current.type === 'MemberExpression' &&
    !current.computed &&
    !current.optional &&
    current.property.type === 'Identifier'
  )
    current = skipParens(current.object);
  return current.type === 'Identifier'
    ? current.ref?.isDead !== true
    : current.type === 'ThisExpression' && current.isSloppyThis !== true;
}

function isOptional(node: Node): boolean {
  const inner = skipParens(node);
  if (inner.type !== 'MemberExpression' && inner.type !== 'CallExpression') return false;
  return inner.optional || isOptional(inner.type === 'MemberExpression' ? inner.object : inner.callee);
}

/** Whether the object is `this` in a constructor of a base class: a new object, which nothing else refers to yet. */
function isUnsharedThis(object: Node, fn: FunctionInfo): boolean {
  return object.type === 'ThisExpression' && fn.kind === 'constructor' && fn.classInfo?.node.superClass === null;
}

/** Whether reading a node twice in a row has the same effect as reading it once. */
function isRepeatable(e: CodeEmitter, node: Node): boolean {
  if (e.substitutions.has(node)) return false;
  switch (node.type) {
    case 'Literal':
      return !('regex' in node);
    case 'ThisExpression':
      return node.isSloppyThis !== true;
    case 'Identifier':
      if (node.ref?.isDead === true) return false;
      return node.ref?.variable != null || node.name === 'arguments' || COMMONJS_NAMES.has(node.name);
    default:
      return false;
  }
}

function barrierCall(name: string, object: Code, key: Code, canRepeat: boolean): Code {
  const call: Code = [`${name}(`, object, key, ')'];
  return canRepeat ? ['(tt$w && ', call, ', ', object, ')'] : call;
}

function emitWithObject(e: CodeEmitter, node: Node, object: Code): Code {
  return emitReplacing(e, node.object, object, () => e.emitChildren(node));
}

/** Emits code while a node is replaced by other code. */
export function emitReplacing(e: CodeEmitter, node: Node, code: Code, emit: () => Code): Code {
  const outerSubstitution = e.substitutions.get(node);
  e.substitutions.set(node, code);
  const result = emit();
  if (outerSubstitution === undefined) e.substitutions.delete(node);
  else e.substitutions.set(node, outerSubstitution);
  return result;
}
