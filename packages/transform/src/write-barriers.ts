// Debug mode: barriers before everything that code writes, for the log by which a stretch is undone (docs/undo.md). `tt$w` says that a log is being
// kept; as long as it never was, it is a constant for V8. What an object was like is noted before the write, within the same stretch, so
// that it does not matter what is evaluated between the two.
//
//   o.x = v        (tt$w && tt$o(o, "x"), o).x = v       what may be evaluated twice is
//   f().x = v      tt$o(f(), "x").x = v                  these functions answer what they are given
//   o[f()] = v     tt$i(o)[tt$k(f())] = v                object and key one after the other
//   o.#x = v       (tt$w && tt$p(o, "x"), o).#x = v
//   delete o.x     delete (tt$w && tt$d(o), o).x
//   a.b.x = () =>  (tt$w && tt$f(a, "b", "x"), a.b.x = () => …)   V8 calls a function in stacks by what it is assigned to
//   top = v        (tt$w && tt$g($$M), top = v)          a variable of the file's own top scope; one of no file's: tt$g(null, "top")
//   re.exec(s)     re.exec((tt$w && tt$f(re, "lastIndex"), s))   and s.replace(re, …): replacing the methods themselves makes V8's slow
//
// Boxes and cells are objects like others. Frames, and what else is core's, core notes itself. No temporaries: an arrow function that needed one
// would get a body, and a class's field a function around it.
//
// Guarded by `npm run bench:probes`.

import { bare, childrenOf, containsFunction, isFunction, markDirty, type Node, statements, targetsOf } from './ast.ts';
import type { Analysis } from './analysis.ts';
import type { Code } from './code.ts';
import type { Emitter } from './emitter.ts';
import type { FunctionInfo, Variable } from './scope.ts';

/** Names that emitted code looks for in the context that all files share. */
export const BARRIER_NAMES = ['tt$w', 'tt$o', 'tt$i', 'tt$k', 'tt$p', 'tt$d', 'tt$g', 'tt$f'] as const;

/** Parameters of the function around a CommonJS file, which are variables of its top scope. */
export const COMMONJS_PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname'] as const;
export const COMMONJS_NAMES: ReadonlySet<string> = new Set(COMMONJS_PARAMETERS);

export class WriteBarriers {
  private readonly written = new Set<Node>();
  private readonly deleted = new Set<Node>();
  /** `o?.a.x` where x is deleted: what the chain may skip is not to be taken apart. */
  private readonly shortened = new Set<Node>();
  /** Expressions that assign variables of the top scope, and what is iterated into such variables. */
  private readonly assigning = new Set<Node>();
  /** And such that assign what no file declares, by what they assign. */
  private readonly global = new Map<Node, Set<string>>();
  /** Those that assign functions, by their targets. */
  private readonly naming = new Map<Node, Node>();
  /** Arguments of what may move an expression's `lastIndex`, and the expression. */
  private readonly matching = new Map<Node, Node>();
  /** Those that write to `this` through `super`. */
  private readonly throughSuper = new Set<Node>();

  constructor(program: Node, { root }: Analysis) {
    this.visit(program, root);
  }

  /** Around an expression that writes what is no object's property. */
  around(e: Emitter, node: Node, code: Code): Code {
    const names = [...(this.global.get(node) ?? [])].filter((name) => !e.ambientNames.has(name));
    const globals = names.map((name) => `tt$w && tt$g(null, "${name}"), `);
    const own = this.assigning.has(node) ? `${this.ofTopScope(e)}, ` : '';
    if (own !== '' || globals.length > 0) return ['(', own, globals, code, ')'];
    const expression = this.matching.get(node);
    if (expression !== undefined) return ['(tt$w && ', this.pathTo(e, expression, ', "lastIndex"'), ', ', code, ')'];
    const target = this.naming.get(node);
    // One that suspends is written after its parts have gone to slots.
    if (target !== undefined) return ['(tt$w && ', this.pathTo(e, target), ', ', code, ')'];
    if (node.type === 'UnaryExpression' && this.shortened.has(bare(node.argument as Node)))
      return ['(tt$w && ', this.ofShortened(e, bare(node.argument as Node)), ', ', code, ')'];
    if (this.throughSuper.has(node)) return [`(tt$w && tt$d(${e.around.thisCode}), `, code, ')'];
    return code;
  }

  ofTopScope(e: Emitter): string {
    return `tt$w && tt$g(${e.prefix}M)`;
  }

  private pathTo(e: Emitter, target: Node, last = ''): Code {
    const path: Code[] = [];
    let at = target;
    for (; at.type === 'MemberExpression'; at = bare(at.object))
      path.unshift(', ', at.computed ? e.emit(at.property) : JSON.stringify(at.property.name));
    return ['tt$f(', at.type === 'Identifier' ? e.emitIdentifier(at) : e.emit(at), path, last, ')'];
  }

  /** What is left is told of the object: all of its properties, or that nobody can tell. */
  private ofShortened(e: Emitter, chain: Node): Code {
    const { object } = bare(chain.type === 'ChainExpression' ? chain.expression : chain);
    let at = bare(object);
    const path: Code[] = [];
    for (; at.type === 'MemberExpression' && !at.computed; at = bare(at.object))
      path.unshift(', ', JSON.stringify(at.property.name));
    return at.type === 'Identifier' || at.type === 'ThisExpression'
      ? ['tt$f(', e.emit(at), path, ', null)']
      : 'tt$f(null)';
  }

  /** A member that is written or deleted; null for others. */
  member(e: Emitter, node: Node): Code | null {
    const isDeleted = this.deleted.has(node);
    if (!isDeleted && !this.written.has(node)) return null;
    const { object, property } = node;
    const objectCode = e.emit(object);
    const isSimple = isRepeatable(e, object);
    if (isDeleted) return withObject(e, node, guarded('tt$d', objectCode, '', isSimple));
    if (!node.computed) {
      const name = property.type === 'PrivateIdentifier' ? 'tt$p' : 'tt$o';
      const key = `, ${JSON.stringify(property.name)}`;
      return withObject(e, node, guarded(name, objectCode, key, isSimple));
    }
    const keyCode = e.emit(property);
    if (isRepeatable(e, property)) return withObject(e, node, guarded('tt$o', objectCode, [', ', keyCode], isSimple));
    return replacing(e, property, ['tt$k(', keyCode, ')'], () => withObject(e, node, ['tt$i(', objectCode, ')']));
  }

  private visit(node: Node, fn: FunctionInfo): void {
    const inner = isFunction(node) ? (node.fn as FunctionInfo) : fn;
    switch (node.type) {
      case 'WithStatement':
        // Looking for the names of barriers could be seen.
        return this.visit(node.object, fn);
      case 'AssignmentExpression': {
        const target = bare(node.left);
        if (node.suspends !== true && isPath(target) && containsFunction(node.right)) {
          if (!isFresh(target.object, fn)) {
            this.naming.set(node, target);
            markDirty(node);
          }
        } else this.target(node.left, fn, node);
        break;
      }
      case 'CallExpression':
        this.match(node);
        break;
      case 'UpdateExpression':
        this.target(node.argument as Node, fn, node);
        break;
      case 'UnaryExpression':
        if (node.operator === 'delete') this.deletion(bare(node.argument as Node));
        break;
      case 'ForInStatement':
      case 'ForOfStatement':
        if (node.left.type !== 'VariableDeclaration') this.target(node.left, fn, node.right);
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

  private deletion(node: Node): void {
    const member = node.type === 'ChainExpression' ? bare(node.expression) : node;
    if (member.type !== 'MemberExpression' || member.object.type === 'Super') return;
    if (isOptional(member.object)) return this.mark(this.shortened, node);
    this.deleted.add(member);
    markDirty(member);
  }

  private match({ callee, arguments: [first] }: Node): void {
    const member = bare(callee);
    if (member.type !== 'MemberExpression' || member.computed || first === undefined) return;
    const { name } = member.property;
    const expression = MOVING.test(name) ? bare(member.object) : MOVING_ARGUMENT.test(name) ? bare(first) : undefined;
    if (expression === undefined || first.type === 'SpreadElement' || !isNamePath(expression)) return;
    this.matching.set(first, expression);
    markDirty(first);
  }

  /** `whole`: the expression whose evaluation writes the target. */
  private target(target: Node, fn: FunctionInfo, whole: Node): void {
    for (const node of targetsOf(bare(target)).map(bare)) {
      if (node.type === 'Identifier') {
        if (node.ref?.variable === null) this.assignsGlobal(node.name, whole);
        else if (isOfTopScope(node.ref?.variable)) this.mark(this.assigning, whole);
      } else if (node.type === 'MemberExpression') {
        if (node.object.type === 'Super') this.mark(this.throughSuper, whole);
        else if (!isFresh(node.object, fn)) this.mark(this.written, node);
      }
    }
  }

  private assignsGlobal(name: string, whole: Node): void {
    if (COMMONJS_NAMES.has(name)) return this.mark(this.assigning, whole);
    const names = this.global.get(whole) ?? new Set();
    this.global.set(whole, names.add(name));
    markDirty(whole);
  }

  private mark(into: Set<Node>, node: Node): void {
    into.add(node);
    markDirty(node);
  }
}

/** Of a name whose assignment writes a box, a cell or a property of the global object: that object and the property. */
function holderOf(e: Emitter, { ref, name }: Node): { object: string; key: string } | null {
  if (e.barriers === null || ref === undefined || ref.dead === true) return null;
  const { variable } = ref;
  if (variable === null) return e.ambientNames.has(name) ? { object: e.use('A'), key: name } : null;
  if (variable.storage === 'local') return null;
  return { object: variable.storage === 'binding' ? (variable.bindingCode as string) : variable.name, key: 'v' };
}

/** The name as a target, with the barrier in it. */
export function barredName(e: Emitter, node: Node, code: Code): Code {
  const holder = holderOf(e, node);
  if (holder === null) return code;
  return `(tt$w && tt$o(${holder.object}, "${holder.key}"), ${holder.object}).${holder.key}`;
}

/** An assignment to the name, with the barrier ahead: what is assigned keeps the name that V8 gives it. */
export function barredAssignment(e: Emitter, node: Node, code: Code): Code {
  const holder = holderOf(e, node);
  return holder === null ? code : [`(tt$w && tt$o(${holder.object}, "${holder.key}"), `, code, ')'];
}

/** What of a file's top scope can be assigned, by number: what the log sets it back with. Empty where nothing can. */
export function scopeWriter(e: Emitter, variables: readonly string[]): string {
  if (e.barriers === null) return '';
  const { root, rootScope } = e.analysis;
  const assigned = variables.flatMap((name, index) => {
    const variable = rootScope.variables.get(name);
    const isAssigned = variable === undefined ? COMMONJS_NAMES.has(name) : variable.writes > 0 || root.topLevelAwait;
    return isAssigned ? [index] : [];
  });
  if (assigned.length === 0) return '';
  const cases = assigned.map((index) => `case ${index}: ${variables[index]} = ${e.prefix}c; break; `).join('');
  return `, (${e.prefix}i, ${e.prefix}c) => { switch (${e.prefix}i) { ${cases}} }, [${assigned.join(', ')}]`;
}

export function isOfTopScope(variable: Variable | null | undefined): boolean {
  return variable?.isRoot === true && variable.storage === 'local' && variable.kind !== 'import';
}

/** Names after names, which log and program can follow alike; the last may be computed. */
function isPath(target: Node): boolean {
  if (target.type !== 'MemberExpression') return false;
  const { property } = target;
  if (property.type === 'PrivateIdentifier' || (target.computed && property.type !== 'Literal')) return false;
  return isNamePath(bare(target.object));
}

/** Methods that move the `lastIndex` of what they are called on, and of what they are given. */
const MOVING = /^(exec|test)$/;
const MOVING_ARGUMENT = /^(match|replace|replaceAll)$/;

function isNamePath(node: Node): boolean {
  let at = node;
  while (at.type === 'MemberExpression' && !at.computed && !at.optional && at.property.type === 'Identifier')
    at = bare(at.object);
  return at.type === 'Identifier' ? at.ref?.dead !== true : at.type === 'ThisExpression' && at.sloppyThis !== true;
}

function isOptional(node: Node): boolean {
  const inner = bare(node);
  if (inner.type !== 'MemberExpression' && inner.type !== 'CallExpression') return false;
  return inner.optional || isOptional(inner.type === 'MemberExpression' ? inner.object : inner.callee);
}

/** Nobody has had an object before the constructor that makes it. */
function isFresh(object: Node, fn: FunctionInfo): boolean {
  return object.type === 'ThisExpression' && fn.kind === 'constructor' && fn.classInfo?.node.superClass === null;
}

/** Reading it twice in a row is reading it once. */
function isRepeatable(e: Emitter, node: Node): boolean {
  if (e.substitutions.has(node)) return false;
  switch (node.type) {
    case 'Literal':
      return !('regex' in node);
    case 'ThisExpression':
      return node.sloppyThis !== true;
    case 'Identifier':
      if (node.ref?.dead === true) return false;
      return node.ref?.variable != null || node.name === 'arguments' || COMMONJS_NAMES.has(node.name);
    default:
      return false;
  }
}

function guarded(name: string, object: Code, key: Code, isSimple: boolean): Code {
  const call: Code = [`${name}(`, object, key, ')'];
  return isSimple ? ['(tt$w && ', call, ', ', object, ')'] : call;
}

function withObject(e: Emitter, node: Node, object: Code): Code {
  return replacing(e, node.object, object, () => e.emitChildren(node));
}

/** What is emitted while other code stands for a node. */
export function replacing(e: Emitter, node: Node, code: Code, emit: () => Code): Code {
  const before = e.substitutions.get(node);
  e.substitutions.set(node, code);
  const emitted = emit();
  if (before === undefined) e.substitutions.delete(node);
  else e.substitutions.set(node, before);
  return emitted;
}
