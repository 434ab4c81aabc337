// One walk over the tree that builds scopes, references, functions and classes, and marks what suspends.

import { bare, boundIdentifiers, childrenOf, isFunction, markDirty, type Node, statements } from './ast.ts';
import { AMBIENT_NAMES } from './ambient.ts';
import {
  type ClassInfo,
  FunctionInfo,
  type Reference,
  resolve,
  Scope,
  type Variable,
  type VariableKind,
} from './scope.ts';

/** A construct the transform refuses. */
export interface Refused {
  readonly node: Node;
  readonly what: 'eval' | 'with' | 'super';
}

export interface Analysis {
  readonly root: FunctionInfo;
  readonly rootScope: Scope;
  readonly functions: FunctionInfo[];
  readonly classes: ClassInfo[];
  readonly references: Reference[];
  readonly scopes: Scope[];
  readonly refused: Refused[];
  readonly identifiers: Set<string>;
  readonly usesImportMeta: boolean;
  /** Start offsets of statements. */
  readonly statements: number[];
}

export interface AnalysisOptions {
  readonly strict: boolean;
  /** `this` of the top scope is the global object. */
  readonly globalThisAtRoot: boolean;
}

export function analyze(program: Node, options: AnalysisOptions): Analysis {
  return new Analyzer(program, options).run();
}

class Analyzer {
  private readonly program: Node;
  private readonly functions: FunctionInfo[] = [];
  private readonly classes: ClassInfo[] = [];
  private readonly references: Reference[] = [];
  private readonly scopes: Scope[] = [];
  private readonly refused: Refused[] = [];
  private readonly identifiers = new Set<string>();
  private readonly root: FunctionInfo;
  private readonly statementStarts: number[] = [];
  private readonly globalThisAtRoot: boolean;
  private usesImportMeta = false;
  private scope: Scope;
  private fn: FunctionInfo;
  private currentClass: ClassInfo | null = null;
  /** Position given to references met now, when execution order is not source order. */
  private position: number | null = null;
  private created: number | null = null;
  private objectHandles = 0;

  constructor(program: Node, { strict, globalThisAtRoot }: AnalysisOptions) {
    this.program = program;
    this.globalThisAtRoot = globalThisAtRoot;
    this.root = new FunctionInfo(program, 'root', null, strict || hasUseStrict(statements(program)));
    this.fn = this.root;
    this.scope = this.newScope('root', program);
    this.root.scope = this.scope;
  }

  run(): Analysis {
    const rootScope = this.scope;
    this.program.parent = null;
    this.program.scope = rootScope;
    this.hoist(statements(this.program));
    this.visitAll(statements(this.program), this.program);
    resolve(this.references, () => this.variables());
    return {
      root: this.root,
      rootScope,
      functions: this.functions,
      classes: this.classes,
      references: this.references,
      scopes: this.scopes,
      refused: this.refused,
      identifiers: this.identifiers,
      usesImportMeta: this.usesImportMeta,
      statements: this.statementStarts,
    };
  }

  private *variables(): Iterable<Variable> {
    for (const scope of this.scopes) yield* scope.variables.values();
  }

  private newScope(kind: Scope['kind'], node: Node, fn: FunctionInfo = this.fn): Scope {
    const parent = this.scopes.length === 0 ? null : this.scope;
    const scope = new Scope(kind, node, parent, fn);
    this.scopes.push(scope);
    return scope;
  }

  private within<T>(scope: Scope, run: () => T): T {
    const outer = this.scope;
    this.scope = scope;
    const result = run();
    this.scope = outer;
    return result;
  }

  // ── Declarations ─────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Declares what a statement list binds in its own scope: lexical declarations and functions. */
  private hoist(list: Node[]): void {
    for (const statement of list) {
      const node = declarationIn(statement);
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
    const atTop = this.scope.kind === 'root' || this.scope.kind === 'function';
    // In sloppy code a plain function in a block is a variable of the function as well; both are one here.
    const annexB = !atTop && !this.fn.strict && !node.async && !node.generator && !this.shadowedUpward(name);
    const scope = annexB ? this.functionScope() : this.scope;
    const variable = scope.declare(name, annexB ? 'var' : 'function', node.start, node.end);
    if (variable.functionNode === null || atTop) variable.functionNode = node;
    if (annexB) variable.declarations++;
  }

  private shadowedUpward(name: string): boolean {
    for (let scope: Scope | null = this.scope; scope !== null; scope = scope.parent) {
      const found = scope.variables.get(name);
      if (found !== undefined && found.kind !== 'function' && found.kind !== 'var') return true;
      if (scope.kind === 'function' || scope.kind === 'root') return false;
    }
    return false;
  }

  private functionScope(): Scope {
    let scope = this.scope;
    while (scope.kind !== 'function' && scope.kind !== 'root') scope = scope.parent as Scope;
    return scope;
  }

  private declarePatterns(declaration: Node, scope: Scope): void {
    const kind: VariableKind = declaration.kind === 'var' ? 'var' : declaration.kind === 'let' ? 'let' : 'const';
    for (const declarator of declaration.declarations) {
      for (const id of boundIdentifiers(declarator.id as Node)) {
        scope.declare(id.name, kind, declarator.start, declarator.end);
      }
    }
  }

  // ── References ───────────────────────────────────────────────────────────────────────────────────────────────────────

  private refer(node: Node, how: { reads?: boolean; writes?: boolean; initialises?: boolean }): void {
    this.identifiers.add(node.name);
    const reference: Reference = {
      node,
      name: node.name,
      scope: this.scope,
      fn: this.fn,
      position: this.position ?? node.start,
      created: this.created,
      reads: how.reads === true,
      writes: how.writes === true,
      initialises: how.initialises === true,
      variable: null,
    };
    node.ref = reference;
    this.references.push(reference);
    if (node.name === 'arguments' && this.isImplicitArguments()) {
      this.useArguments();
      if (this.isSuspendedThis()) markDirty(node);
    } else if (node.name === 'arguments' && this.fn.thisFunction.kind === 'root') {
      this.root.usesArguments = true;
      markDirty(node);
    }
  }

  /** In sloppy code `this` can be the global object, which the program must see as its own `globalThis`. */
  private mayBeGlobal(node: Node): boolean {
    const { thisFunction } = this.fn;
    const sloppy = !thisFunction.strict && (thisFunction.kind !== 'root' || this.globalThisAtRoot);
    const { parent } = node;
    const isReceiver =
      parent?.type === 'MemberExpression' &&
      parent.object === node &&
      (parent.computed || !AMBIENT_NAMES.has(parent.property.name));
    node.sloppyThis = sloppy && !isReceiver;
    return node.sloppyThis;
  }

  /** `this`, `arguments` and their like are read here from a frame. */
  private isSuspendedThis(): boolean {
    for (let fn: FunctionInfo | null = this.fn; fn !== null; fn = fn.parent) {
      if (fn.async || fn.generator) return true;
      if (!fn.isArrow) return false;
    }
    return false;
  }

  private isImplicitArguments(): boolean {
    for (let scope: Scope | null = this.scope; scope !== null; scope = scope.parent) {
      if (scope.variables.has('arguments')) return false;
      if (scope.kind === 'function' && !scope.fn.isArrow) return true;
    }
    return false;
  }

  private useArguments(): void {
    for (let fn: FunctionInfo | null = this.fn; fn !== null; fn = fn.parent) {
      fn.usesArguments = true;
      if (!fn.isArrow) return;
    }
  }

  private useThis(): void {
    for (let fn: FunctionInfo | null = this.fn; fn !== null; fn = fn.parent) {
      fn.usesThis = true;
      if (!fn.isArrow) return;
    }
  }

  // ── The walk ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  private visitAll(nodes: Iterable<Node | null>, parent: Node): boolean {
    let suspends = false;
    for (const node of nodes) if (node !== null && this.visit(node, parent)) suspends = true;
    return suspends;
  }

  /** Visits a node; answers (and notes) whether the current function can suspend in it. */
  private visit(node: Node, parent: Node): boolean {
    node.parent = parent;
    if (node.type.endsWith('Statement') || node.type === 'VariableDeclaration') this.statementStarts.push(node.start);
    const suspends = this.enter(node);
    if (suspends) node.suspends = true;
    return suspends;
  }

  private enter(node: Node): boolean {
    switch (node.type) {
      case 'Identifier':
        this.refer(node, { reads: true });
        return false;
      case 'ThisExpression':
        this.useThis();
        if (this.mayBeGlobal(node) || this.isSuspendedThis()) markDirty(node);
        return false;
      case 'Super':
        this.useSuper();
        if (this.isSuspendedThis()) markDirty(node);
        return false;
      case 'MetaProperty':
        if (node.meta.name === 'import') {
          this.usesImportMeta = true;
          markDirty(node);
        } else {
          if (this.isSuspendedThis()) markDirty(node);
          for (let fn: FunctionInfo | null = this.fn; fn !== null; fn = fn.parent) {
            fn.usesNewTarget = true;
            if (!fn.isArrow) break;
          }
        }
        return false;
      case 'FunctionDeclaration':
      case 'FunctionExpression':
        this.visitFunction(node, 'function');
        return false;
      case 'ArrowFunctionExpression':
        this.visitFunction(node, 'arrow');
        return false;
      case 'ClassDeclaration':
      case 'ClassExpression':
        return this.visitClass(node);
      case 'AwaitExpression':
      case 'YieldExpression': {
        if (node.argument !== null) this.visit(node.argument, node);
        this.suspend(node.end);
        markDirty(node);
        return true;
      }
      case 'ReturnStatement': {
        let suspends = node.argument !== null && this.visit(node.argument, node);
        if (this.fn.wrapped) markDirty(node);
        if (this.fn.async && this.fn.generator && node.argument !== null) {
          this.suspend(node.end);
          suspends = true;
        }
        return suspends;
      }
      case 'ImportExpression':
      case 'TaggedTemplateExpression':
        markDirty(node);
        return this.visitAll(childrenOf(node), node);
      case 'AssignmentExpression':
        return this.visitAssignment(node);
      case 'UpdateExpression':
        return this.visitTarget(node.argument as Node, node, { reads: true, writes: true });
      case 'VariableDeclaration':
        return this.visitDeclaration(node);
      case 'MemberExpression': {
        let suspends = this.visit(node.object, node);
        if (node.computed || node.property.type === 'PrivateIdentifier')
          suspends = this.visit(node.property, node) || suspends;
        else node.property.parent = node;
        return suspends;
      }
      case 'PrivateIdentifier':
        this.usePrivate(node);
        return false;
      case 'Property': {
        let suspends = node.computed && this.visit(node.key, node);
        if (!node.computed) node.key.parent = node;
        if (isFunction(node.value) && (node.method || node.kind !== 'init')) {
          node.value.parent = node;
          this.visitFunction(node.value, 'method');
        } else suspends = this.visit(node.value, node) || suspends;
        return suspends;
      }
      case 'CallExpression':
        if (node.callee.type === 'Identifier' && node.callee.name === 'eval' && !node.optional) {
          this.refused.push({ node, what: 'eval' });
        }
        if (node.callee.type === 'Super' && this.isSuspendedThis()) this.refused.push({ node, what: 'super' });
        return this.visitAll(childrenOf(node), node);
      case 'WithStatement':
        this.refused.push({ node, what: 'with' });
        return this.visitAll(childrenOf(node), node);
      case 'BlockStatement':
        return this.visitBlock(node);
      case 'ForStatement':
      case 'ForInStatement':
      case 'ForOfStatement':
        return this.visitFor(node);
      case 'WhileStatement':
      case 'DoWhileStatement':
        this.fn.loops.push([node.start, node.end]);
        return this.visitAll(childrenOf(node), node);
      case 'SwitchStatement':
        return this.visitSwitch(node);
      case 'CatchClause':
        return this.visitCatch(node);
      case 'TryStatement':
        if (node.finalizer !== null) this.fn.hasFinally = true;
        return this.visitAll(childrenOf(node), node);
      case 'LabeledStatement':
        (node.label as Node).parent = node;
        return this.visit(node.body, node);
      case 'BreakStatement':
      case 'ContinueStatement':
        // At the root, a later top-level await may turn the loop around it into suspended code.
        if (this.fn.wrapped || this.fn.kind === 'root') markDirty(node);
        return false;
      case 'ImportDeclaration':
        for (const specifier of node.specifiers) specifier.parent = node;
        return false;
      case 'ExportNamedDeclaration':
        if (node.declaration !== null) return this.visit(node.declaration, node);
        if (node.source === null) {
          for (const specifier of node.specifiers) {
            specifier.parent = node;
            if (specifier.local.type === 'Identifier') this.refer(specifier.local, {});
          }
        }
        return false;
      case 'ExportDefaultDeclaration':
        return this.visit(node.declaration as Node, node);
      case 'ExportAllDeclaration':
        return false;
      default:
        return this.visitAll(childrenOf(node), node);
    }
  }

  private suspend(position: number): void {
    this.fn.points.push(this.position ?? position);
    if (this.fn.kind === 'root') this.fn.topLevelAwait = true;
  }

  private visitAssignment(node: Node): boolean {
    const { left, right } = node;
    const isPattern = left.type === 'ObjectPattern' || left.type === 'ArrayPattern';
    const compound = node.operator !== '=';
    let suspends: boolean;
    if (isPattern || left.type === 'Identifier') {
      suspends = this.visit(right, node);
      // Targets of a destructuring are evaluated after the right-hand side.
      suspends = this.at(node.end, () => this.visitTarget(left, node, { reads: compound, writes: true })) || suspends;
      if (compound && right.suspends) {
        // `x += await y` reads x before.
        this.references.push({
          ...(left.ref as Reference),
          node: null,
          position: node.start,
          reads: true,
          writes: false,
        });
      }
    } else {
      suspends = this.visitTarget(left, node, { reads: compound, writes: true });
      suspends = this.visit(right, node) || suspends;
    }
    return suspends;
  }

  private at<T>(position: number, run: () => T): T {
    const outer = this.position;
    this.position = outer ?? position;
    const result = run();
    this.position = outer;
    return result;
  }

  private visitTarget(
    target: Node,
    parent: Node,
    how: { reads?: boolean; writes?: boolean; initialises?: boolean },
  ): boolean {
    target.parent = parent;
    let suspends = false;
    switch (target.type) {
      case 'Identifier':
        this.refer(target, how);
        return false;
      case 'ObjectPattern':
        for (const property of target.properties) {
          property.parent = target;
          if (property.type === 'RestElement') {
            suspends = this.visitTarget(property.argument as Node, property, how) || suspends;
          } else {
            if (property.computed) suspends = this.visit(property.key, property) || suspends;
            else property.key.parent = property;
            suspends = this.visitTarget(property.value, property, how) || suspends;
          }
          if (suspends) property.suspends = true;
        }
        break;
      case 'ArrayPattern':
        for (const element of target.elements) {
          if (element !== null) suspends = this.visitTarget(element, target, how) || suspends;
        }
        break;
      case 'AssignmentPattern':
        suspends = this.visit(target.right, target);
        suspends = this.visitTarget(target.left, target, how) || suspends;
        break;
      case 'RestElement':
        suspends = this.visitTarget(target.argument as Node, target, how);
        break;
      case 'ParenthesizedExpression':
        suspends = this.visitTarget(target.expression, target, how);
        break;
      default:
        return this.visit(target, parent);
    }
    if (suspends) target.suspends = true;
    return suspends;
  }

  private visitDeclaration(node: Node): boolean {
    let suspends = false;
    if (node.kind.endsWith('using')) this.fn.hasFinally = true;
    // A `var` of a suspendable function may turn out to be declared at the head of its step.
    if (node.kind === 'var' && (this.fn.wrapped || this.fn.kind === 'root')) markDirty(node);
    if (node.kind === 'var') this.declarePatterns(node, this.functionScope());
    for (const declarator of node.declarations) {
      declarator.parent = node;
      let inner = declarator.init !== null && this.visit(declarator.init, declarator);
      const isForHead = node.parent !== null && /^For(In|Of)/.test(node.parent.type) && node.parent.left === node;
      const how =
        declarator.init !== null || isForHead
          ? { writes: true, initialises: true }
          : { initialises: node.kind !== 'var' };
      inner = this.at(declarator.end, () => this.visitTarget(declarator.id as Node, declarator, how)) || inner;
      if (inner) declarator.suspends = true;
      const pattern = declarator.id as Node;
      const initialiser = declarator.init === null ? null : bare(declarator.init);
      const byCode = initialiser !== null && !isFunction(initialiser) && initialiser.type !== 'ClassExpression';
      for (const variable of this.declaredBy(pattern)) {
        variable.initialisedByCode = byCode;
        if (pattern.type === 'Identifier') continue;
        variable.byPattern = node.parent?.type.startsWith('For') !== true;
        if (pattern.suspends !== true) continue;
        // Names of a pattern that suspends are in use between its parts.
        variable.settledAt = variable.declarationEnd;
        variable.declarationEnd = declarator.start;
      }
      suspends ||= inner;
    }
    if (node.kind === 'await using') {
      markDirty(node);
      this.suspend(this.scope.node.end - 1);
      suspends = true;
    }
    return suspends;
  }

  /** Variables a pattern declares, from the scope it stands in upwards. */
  private *declaredBy(pattern: Node): Iterable<Variable> {
    for (const id of boundIdentifiers(pattern)) {
      for (let scope: Scope | null = this.scope; scope !== null; scope = scope.parent) {
        const variable = scope.variables.get(id.name);
        if (variable === undefined) continue;
        yield variable;
        break;
      }
    }
  }

  private visitBlock(node: Node): boolean {
    const scope = this.newScope('block', node);
    node.scope = scope;
    return this.within(scope, () => {
      this.hoist(statements(node));
      return this.visitAll(statements(node), node);
    });
  }

  private visitFor(node: Node): boolean {
    const scope = this.newScope('block', node);
    node.scope = scope;
    this.fn.loops.push([node.start, node.end]);
    return this.within(scope, () => {
      const head = node.type === 'ForStatement' ? node.init : node.left;
      if (head !== null && head.type === 'VariableDeclaration' && head.kind !== 'var')
        this.declarePatterns(head, scope);
      if (node.type === 'ForStatement') {
        return this.visitAll([node.init, node.test, node.update, node.body], node);
      }
      let suspends = this.visit(node.right, node);
      if ((head as Node).type === 'VariableDeclaration') suspends = this.visit(head as Node, node) || suspends;
      else suspends = this.at(node.right.end, () => this.visitTarget(head as Node, node, { writes: true })) || suspends;
      suspends = this.visit(node.body, node) || suspends;
      if (node.await) {
        this.suspend(node.right.end);
        this.suspend(node.end - 1);
        suspends = true;
      }
      return suspends;
    });
  }

  private visitSwitch(node: Node): boolean {
    let suspends = this.visit(node.discriminant, node);
    const scope = this.newScope('block', node);
    node.scope = scope;
    return this.within(scope, () => {
      const lists = node.cases.map((each) => statements(each));
      this.hoist(lists.flat());
      const before = this.fn.points.length;
      suspends = this.visitAll(node.cases, node) || suspends;
      // A later case's test runs before an earlier `default`: for liveness that is a loop.
      if (this.fn.points.length > before) this.fn.loops.push([node.start, node.end]);
      return suspends;
    });
  }

  private visitCatch(node: Node): boolean {
    const scope = this.newScope('block', node);
    node.scope = scope;
    return this.within(scope, () => {
      let suspends = false;
      if (node.param !== null) {
        const { param } = node;
        for (const id of boundIdentifiers(param)) scope.declare(id.name, 'catch', param.start, param.end);
        suspends = this.visitTarget(param, node, { writes: true, initialises: true });
      }
      return this.visit(node.body, node) || suspends;
    });
  }

  // ── Functions ────────────────────────────────────────────────────────────────────────────────────────────────────────

  private visitFunction(node: Node, kind: 'function' | 'arrow' | 'method' | 'constructor'): void {
    const strict =
      this.fn.strict ||
      (this.currentClass !== null && isInClass(node)) ||
      (node.body.type === 'BlockStatement' && hasUseStrict(statements(node.body)));
    const info = new FunctionInfo(node, kind, this.fn, strict);
    info.classInfo = this.currentClass;
    node.fn = info;
    info.ordinal = this.functions.length;
    this.functions.push(info);
    markDirty(node);
    const outer = { fn: this.fn, scope: this.scope, position: this.position, created: this.created };
    this.created = this.position ?? this.created;
    this.position = null;
    if (node.type === 'FunctionExpression' && node.id !== null && kind === 'function') {
      this.scope = this.newScope('name', node, this.fn);
      this.scope.declare(node.id.name, 'name', node.start, node.start);
      this.identifiers.add(node.id.name);
    }
    if (node.type === 'FunctionDeclaration' && node.id !== null) {
      // The declaration initialises the variable when its scope is entered.
      node.id.parent = node;
      this.refer(node.id, { writes: true, initialises: true });
    }
    this.fn = info;
    const scope = this.newScope('function', node, info);
    info.scope = scope;
    node.scope = scope;
    this.scope = scope;
    for (const param of node.params) {
      for (const id of boundIdentifiers(param)) scope.declare(id.name, 'param', param.start, param.end);
    }
    const hasBlock = node.body.type === 'BlockStatement';
    if (hasBlock) {
      this.hoist(statements(node.body));
    }
    for (const param of node.params) this.visitTarget(param, node, { writes: true, initialises: true });
    if (hasBlock) {
      node.body.parent = node;
      node.body.scope = scope;
      if (this.visitAll(statements(node.body), node.body)) node.body.suspends = true;
    } else this.visit(node.body, node);
    this.fn = outer.fn;
    this.scope = outer.scope;
    this.position = outer.position;
    this.created = outer.created;
  }

  // ── Classes ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  private visitClass(node: Node): boolean {
    const scope = this.newScope('class', node);
    node.scope = scope;
    if (node.id !== null) {
      node.id.parent = node;
      if (node.type === 'ClassDeclaration') this.refer(node.id, { writes: true, initialises: true });
      scope.declare(node.id.name, 'name', node.start, node.end);
      this.identifiers.add(node.id.name);
    }
    const info: ClassInfo = {
      node,
      outer: this.currentClass,
      scope,
      privates: new Map(),
      handle: null,
      handledPrivates: new Set(),
      ordinal: this.classes.length,
    };
    node.classInfo = info;
    this.classes.push(info);
    markDirty(node);
    for (const member of statements(node.body)) {
      if (member.type !== 'StaticBlock' && member.key.type === 'PrivateIdentifier') {
        // A getter and a setter share one name; the getter decides how it reads.
        if (!info.privates.has(member.key.name) || member.kind === 'get') info.privates.set(member.key.name, member);
      }
    }
    const outerClass = this.currentClass;
    let suspends = false;
    this.within(scope, () => {
      const outerStrict = this.fn.strict;
      this.fn.strict = true;
      if (node.superClass !== null) suspends = this.visit(node.superClass, node);
      this.currentClass = info;
      node.body.parent = node;
      for (const member of statements(node.body)) suspends = this.visitMember(member, node.body) || suspends;
      this.currentClass = outerClass;
      this.fn.strict = outerStrict;
    });
    return suspends;
  }

  private visitMember(member: Node, body: Node): boolean {
    member.parent = body;
    if (member.type === 'StaticBlock') {
      this.inPseudoFunction(member, 'block', () => {
        this.hoist(statements(member));
        this.visitAll(statements(member), member);
      });
      return false;
    }
    const suspends = member.computed && this.visit(member.key, member);
    member.key.parent = member;
    if (member.type === 'MethodDefinition') {
      member.value.parent = member;
      this.visitFunction(member.value, member.kind === 'constructor' ? 'constructor' : 'method');
    } else if (member.value !== null) {
      this.inPseudoFunction(member, 'field', () => this.visit(member.value, member));
    }
    if (suspends) member.suspends = true;
    return suspends;
  }

  private inPseudoFunction(node: Node, kind: 'field' | 'block', run: () => void): void {
    const info = new FunctionInfo(node, kind, this.fn, true);
    info.classInfo = this.currentClass;
    node.fn = info;
    const outer = { fn: this.fn, scope: this.scope, position: this.position, created: this.created };
    this.created = this.position ?? this.created;
    this.position = null;
    this.fn = info;
    this.scope = this.newScope('function', node, info);
    info.scope = this.scope;
    node.scope = this.scope;
    run();
    this.fn = outer.fn;
    this.scope = outer.scope;
    this.position = outer.position;
    this.created = outer.created;
  }

  /** Suspended code is emitted outside its class: what it needs of it goes through the class's handle. */
  private usePrivate(node: Node): void {
    let info = this.currentClass;
    while (info !== null && !info.privates.has(node.name)) info = info.outer;
    if (info === null) return;
    for (let fn: FunctionInfo | null = this.fn; fn !== null; fn = fn.parent) {
      if (fn.wrapped && fn.node.start > info.node.start && fn.node.end < info.node.end) {
        markDirty(node);
        this.useHandle(info);
        info.handledPrivates.add(node.name);
        return;
      }
    }
  }

  private useHandle(info: ClassInfo): void {
    if (info.handle === null) {
      // A class that is evaluated once has its handle among the file's own variables, any other one beside each evaluation.
      const { start } = info.node;
      const once = info.scope.fn.kind === 'root' && !this.root.loops.some(([from, to]) => start >= from && start < to);
      const home = once ? (this.root.scope as Scope) : info.scope;
      info.handle = home.declare(`class ${info.ordinal}`, 'handle', start, start);
    }
    this.references.push(this.handleReference(info.handle));
  }

  private useSuper(): void {
    let suspended = false;
    let fn: FunctionInfo | null = this.fn;
    for (; fn !== null; fn = fn.parent) {
      fn.usesSuper = true;
      fn.usesThis = true;
      if (fn.wrapped) suspended = true;
      if (!fn.isArrow) break;
    }
    if (!suspended || fn === null) return;
    const member = fn.kind === 'field' || fn.kind === 'block' ? fn.node : (fn.node.parent as Node);
    if (member.type === 'Property') {
      const literal = member.parent as Node;
      literal.scope ??= this.scopes.find((scope) => scope.node === literal) ?? this.objectScope(literal, fn);
      const handle = literal.scope.variables.values().next().value as Variable;
      fn.objectHandle = handle;
      this.references.push({ ...this.handleReference(handle) });
    } else if (fn.classInfo !== null) this.useHandle(fn.classInfo);
  }

  private objectScope(literal: Node, method: FunctionInfo): Scope {
    const scope = new Scope('block', literal, null, method.parent as FunctionInfo);
    this.scopes.push(scope);
    scope.declare(`object ${this.objectHandles++}`, 'handle', literal.start, literal.start);
    return scope;
  }

  private handleReference(handle: Variable): Reference {
    return {
      node: null,
      name: handle.name,
      scope: handle.scope,
      fn: this.fn,
      position: handle.scope.node.end,
      created: null,
      reads: true,
      writes: false,
      initialises: false,
      variable: null,
    };
  }
}

function hasUseStrict(list: Node[]): boolean {
  for (const statement of list) {
    if (statement.type !== 'ExpressionStatement' || typeof statement.directive !== 'string') return false;
    if (statement.directive === 'use strict') return true;
  }
  return false;
}

function isInClass(node: Node): boolean {
  const member = node.parent;
  return member !== null && (member.type === 'MethodDefinition' || member.type === 'PropertyDefinition');
}

/** The declaration a statement makes in its list, through `export` and labels. */
function declarationIn(statement: Node): Node | null {
  let node: Node | null = statement;
  while (node !== null && node.type === 'LabeledStatement') node = node.body;
  if (node !== null && (node.type === 'ExportNamedDeclaration' || node.type === 'ExportDefaultDeclaration')) {
    node = node.declaration;
  }
  return node;
}
