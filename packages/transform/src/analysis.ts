// One walk over the tree, in execution order. It finds scopes, references, functions and classes, and marks nodes that
// suspend. This file knows the kinds of nodes. The binder resolves the names at each point of the walk.

import {
  skipParens,
  boundIdentifiers,
  childrenOf,
  isFunction,
  nodeTypeOf,
  markDirty,
  type Node,
  statements,
} from './ast.ts';
import { Binder } from './binder.ts';
import { bodyRedeclares } from './body-names.ts';
import { keptUse } from './kept-iterators.ts';
import { type ClassInfo, FunctionInfo, type Reference, type Scope, type Variable, type VariableKind } from './scope.ts';
import { resolveReferences } from './storage.ts';

/** A construct that the transform refuses. */
export interface RefusedConstruct {
  readonly node: Node;
  readonly construct: 'eval' | 'with' | 'super';
}

export interface Analysis {
  readonly root: FunctionInfo;
  readonly rootScope: Scope;
  readonly functions: FunctionInfo[];
  readonly classes: ClassInfo[];
  readonly references: Reference[];
  readonly scopes: Scope[];
  readonly refused: RefusedConstruct[];
  readonly identifiers: Set<string>;
}

export interface AnalysisOptions {
  readonly strict: boolean;
  /** Whether `this` of the top scope is the global object. */
  readonly globalThisAtRoot: boolean;
}

export function analyze(program: Node, options: AnalysisOptions): Analysis {
  return new Analyzer(program, options).run();
}

class Analyzer {
  private readonly program: Node;
  private readonly binder: Binder;
  private readonly refused: RefusedConstruct[] = [];

  constructor(program: Node, { strict, globalThisAtRoot }: AnalysisOptions) {
    this.program = program;
    this.binder = new Binder(program, { strict: strict || hasUseStrict(statements(program)), globalThisAtRoot });
  }

  run(): Analysis {
    const rootScope = this.binder.scope;
    this.program.parent = null;
    this.program.scope = rootScope;
    this.binder.hoist(statements(this.program));
    this.visitAll(statements(this.program), this.program);
    resolveReferences(this.binder.references, () => this.variables());
    const { root, functions, classes, references, scopes, identifiers } = this.binder;
    return { root, rootScope, functions, classes, references, scopes, refused: this.refused, identifiers };
  }

  private *variables(): Iterable<Variable> {
    for (const scope of this.binder.scopes) yield* scope.variables.values();
  }

  private visitAll(nodes: readonly (Node | null)[], parent: Node): boolean {
    let suspends = false;
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i] as Node | null;
      if (node !== null && this.visit(node, parent)) suspends = true;
    }
    return suspends;
  }

  /** Visits a node. Records in the node, and returns, whether the current function can suspend in the node. */
  private visit(node: Node, parent: Node): boolean {
    node.parent = parent;
    node.type = nodeTypeOf(node.type).type;
    const suspends = this.enter(node);
    if (suspends) node.suspends = true;
    return suspends;
  }

  private enter(node: Node): boolean {
    switch (node.type) {
      case 'Identifier':
        this.binder.addReference(node, { reads: true });
        return false;
      case 'Literal':
        return false;
      case 'MemberExpression': {
        let suspends = this.visit(node.object, node);
        if (node.computed || node.property.type === 'PrivateIdentifier')
          suspends = this.visit(node.property, node) || suspends;
        else node.property.parent = node;
        return suspends;
      }
      case 'CallExpression':
        return this.visitCall(node);
      case 'ExpressionStatement':
        return this.visit(node.expression, node);
      case 'BinaryExpression':
      case 'LogicalExpression': {
        const suspends = this.visit(node.left, node);
        return this.visit(node.right, node) || suspends;
      }
      case 'ThisExpression':
        this.binder.markUsed('usesThis');
        if (this.binder.mayBeGlobal(node) || this.binder.isSuspendedThis()) markDirty(node);
        return false;
      case 'Super':
        this.binder.useSuper();
        if (this.binder.isSuspendedThis()) markDirty(node);
        return false;
      case 'MetaProperty':
        if (node.meta.name === 'import') markDirty(node);
        else {
          if (this.binder.isSuspendedThis()) markDirty(node);
          this.binder.markUsed('usesNewTarget');
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
        this.binder.addSuspensionPoint(node.end);
        markDirty(node);
        return true;
      }
      case 'ReturnStatement': {
        let suspends = node.argument !== null && this.visit(node.argument, node);
        if (this.binder.fn.isWrapped) markDirty(node);
        if (this.binder.fn.async && this.binder.fn.generator && node.argument !== null) {
          this.binder.addSuspensionPoint(node.end);
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
      case 'PrivateIdentifier':
        this.binder.usePrivate(node);
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
      case 'WithStatement':
        this.refused.push({ node, construct: 'with' });
        return this.visitAll(childrenOf(node), node);
      case 'BlockStatement':
        return this.visitBlock(node);
      case 'ForStatement':
      case 'ForInStatement':
      case 'ForOfStatement':
        return this.visitFor(node);
      case 'WhileStatement':
      case 'DoWhileStatement':
        this.binder.fn.loops.push([node.start, node.end]);
        return this.visitAll(childrenOf(node), node);
      case 'SwitchStatement':
        return this.visitSwitch(node);
      case 'CatchClause':
        return this.visitCatch(node);
      case 'TryStatement':
        if (node.finalizer !== null) this.binder.fn.hasFinally = true;
        return this.visitAll(childrenOf(node), node);
      case 'LabeledStatement':
        (node.label as Node).parent = node;
        return this.visit(node.body, node);
      case 'BreakStatement':
      case 'ContinueStatement':
        // At the root, a later top-level await may turn the surrounding loop into suspended code.
        if (this.binder.fn.isWrapped || this.binder.fn.kind === 'root') markDirty(node);
        return false;
      case 'ImportDeclaration':
        for (const specifier of node.specifiers) specifier.parent = node;
        return false;
      case 'ExportNamedDeclaration':
        if (node.declaration !== null) return this.visit(node.declaration, node);
        if (node.source === null) {
          for (const specifier of node.specifiers) {
            specifier.parent = node;
            if (specifier.local.type === 'Identifier') this.binder.addReference(specifier.local, {});
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

  private visitCall(node: Node): boolean {
    const { callee } = node;
    if (callee.type === 'Identifier' && callee.name === 'eval' && !node.optional) {
      this.refused.push({ node, construct: 'eval' });
    }
    if (callee.type === 'Super' && this.binder.isSuspendedThis()) this.refused.push({ node, construct: 'super' });
    if (keptUse(node) !== null) markDirty(node);
    const suspends = this.visit(callee, node);
    return this.visitAll(node.arguments, node) || suspends;
  }

  private visitAssignment(node: Node): boolean {
    const { left, right } = node;
    const isPattern = left.type === 'ObjectPattern' || left.type === 'ArrayPattern';
    const isCompound = node.operator !== '=';
    let suspends: boolean;
    if (isPattern || left.type === 'Identifier') {
      suspends = this.visit(right, node);
      // Targets of an assignment to a pattern or name are evaluated after the right-hand side.
      suspends =
        this.binder.atPosition(node.end, () => this.visitTarget(left, node, { reads: isCompound, writes: true })) ||
        suspends;
      if (isCompound && right.suspends) {
        // `x += await y` reads `x` before the await.
        const ref = left.ref as Reference;
        this.binder.references.push({ ...ref, node: null, position: node.start, reads: true, writes: false });
      }
    } else {
      suspends = this.visitTarget(left, node, { reads: isCompound, writes: true });
      suspends = this.visit(right, node) || suspends;
    }
    return suspends;
  }

  private visitTarget(
    target: Node,
    parent: Node,
    access: { reads?: boolean; writes?: boolean; initialises?: boolean },
  ): boolean {
    target.parent = parent;
    let suspends = false;
    switch (target.type) {
      case 'Identifier':
        this.binder.addReference(target, access);
        return false;
      case 'ObjectPattern':
        for (const property of target.properties) {
          property.parent = target;
          if (property.type === 'RestElement') {
            suspends = this.visitTarget(property.argument as Node, property, access) || suspends;
          } else {
            if (property.computed) suspends = this.visit(property.key, property) || suspends;
            else property.key.parent = property;
            suspends = this.visitTarget(property.value, property, access) || suspends;
          }
          if (suspends) property.suspends = true;
        }
        break;
      case 'ArrayPattern':
        for (const element of target.elements) {
          if (element !== null) suspends = this.visitTarget(element, target, access) || suspends;
        }
        break;
      case 'AssignmentPattern':
        suspends = this.visit(target.right, target);
        suspends = this.visitTarget(target.left, target, access) || suspends;
        break;
      case 'RestElement':
        suspends = this.visitTarget(target.argument as Node, target, access);
        break;
      case 'ParenthesizedExpression':
        suspends = this.visitTarget(target.expression, target, access);
        break;
      default:
        return this.visit(target, parent);
    }
    if (suspends) target.suspends = true;
    return suspends;
  }

  private visitDeclaration(node: Node): boolean {
    const { fn } = this.binder;
    let suspends = false;
    if (node.kind.endsWith('using')) this.binder.fn.hasFinally = true;
    // The declaration of a `var` may have to move to the start of the step or the body.
    if (node.kind === 'var' && (fn.isWrapped || fn.kind === 'root' || fn.bodyScope !== null)) markDirty(node);
    if (node.kind === 'var') this.binder.declarePatterns(node, this.binder.functionScope());
    const parentType = node.parent?.type;
    const isForInOf = parentType === 'ForInStatement' || parentType === 'ForOfStatement';
    for (const declarator of node.declarations) {
      declarator.parent = node;
      let declaratorSuspends = declarator.init !== null && this.visit(declarator.init, declarator);
      const isForHead = isForInOf && node.parent?.left === node;
      const access =
        declarator.init !== null || isForHead
          ? { writes: true, initialises: true }
          : { initialises: node.kind !== 'var' };
      declaratorSuspends =
        this.binder.atPosition(declarator.end, () => this.visitTarget(declarator.id as Node, declarator, access)) ||
        declaratorSuspends;
      if (declaratorSuspends) declarator.suspends = true;
      const pattern = declarator.id as Node;
      const initialiser = declarator.init === null ? null : skipParens(declarator.init);
      const inList = node.parent?.type.startsWith('For') !== true;
      const bindingPattern = {
        node: pattern,
        start: isForHead ? pattern.start : declarator.start,
        end: declarator.end,
        inList,
      };
      const isByCode = initialiser !== null && !isFunction(initialiser) && initialiser.type !== 'ClassExpression';
      for (const variable of this.binder.variablesOf(pattern)) {
        variable.isInitialisedByCode = isByCode;
        if (pattern.type === 'Identifier') continue;
        variable.pattern = bindingPattern;
        if (pattern.suspends !== true) continue;
        // A pattern that suspends uses its names between its parts, so they count as declared from the start.
        variable.fullDeclarationEnd = variable.declarationEnd;
        variable.declarationEnd = declarator.start;
      }
      suspends ||= declaratorSuspends;
    }
    if (node.kind === 'await using') {
      markDirty(node);
      this.binder.addSuspensionPoint(this.binder.scope.node.end - 1);
      suspends = true;
    }
    return suspends;
  }

  private visitBlock(node: Node): boolean {
    const scope = this.binder.newScope('block', node);
    node.scope = scope;
    return this.binder.inScope(scope, () => {
      this.binder.hoist(statements(node));
      return this.visitAll(statements(node), node);
    });
  }

  private visitFor(node: Node): boolean {
    const scope = this.binder.newScope('block', node);
    node.scope = scope;
    this.binder.fn.loops.push([node.start, node.end]);
    return this.binder.inScope(scope, () => {
      const head = node.type === 'ForStatement' ? node.init : node.left;
      if (head !== null && head.type === 'VariableDeclaration' && head.kind !== 'var')
        this.binder.declarePatterns(head, scope);
      if (node.type === 'ForStatement') {
        return this.visitAll([node.init, node.test, node.update, node.body], node);
      }
      let suspends = this.visit(node.right, node);
      if ((head as Node).type === 'VariableDeclaration') suspends = this.visit(head as Node, node) || suspends;
      else
        suspends =
          this.binder.atPosition(node.right.end, () => this.visitTarget(head as Node, node, { writes: true })) ||
          suspends;
      suspends = this.visit(node.body, node) || suspends;
      if (node.await) {
        this.binder.addSuspensionPoint(node.right.end);
        this.binder.addSuspensionPoint(node.end - 1);
        suspends = true;
      }
      return suspends;
    });
  }

  private visitSwitch(node: Node): boolean {
    let suspends = this.visit(node.discriminant, node);
    const scope = this.binder.newScope('block', node);
    node.scope = scope;
    return this.binder.inScope(scope, () => {
      const lists = node.cases.map((each) => statements(each));
      this.binder.hoist(lists.flat());
      const pointsBefore = this.binder.fn.suspensionPoints.length;
      suspends = this.visitAll(node.cases, node) || suspends;
      // The test of a later case runs before an earlier `default`, so for liveness the switch is a loop.
      if (this.binder.fn.suspensionPoints.length > pointsBefore) this.binder.fn.loops.push([node.start, node.end]);
      return suspends;
    });
  }

  private visitCatch(node: Node): boolean {
    const scope = this.binder.newScope('block', node);
    node.scope = scope;
    return this.binder.inScope(scope, () => {
      let suspends = false;
      if (node.param !== null) {
        const { param } = node;
        this.bind(param, param, 'catch', scope);
        suspends = this.visitTarget(param, node, { writes: true, initialises: true });
      }
      return this.visit(node.body, node) || suspends;
    });
  }

  /** Declares the names of a `catch` parameter or function parameter. */
  private bind(pattern: Node, { start, end }: Node, kind: VariableKind, scope: Scope): void {
    const bindingPattern = pattern.type === 'Identifier' ? null : { node: pattern, start, end, inList: false };
    for (const id of boundIdentifiers(pattern)) scope.declare(id.name, kind, start, end).pattern = bindingPattern;
  }

  private visitFunction(node: Node, kind: 'function' | 'arrow' | 'method' | 'constructor'): void {
    const strict =
      this.binder.fn.strict ||
      (this.binder.currentClass !== null && isInClass(node)) ||
      (node.body.type === 'BlockStatement' && hasUseStrict(statements(node.body)));
    const info = new FunctionInfo(node, kind, this.binder.fn, strict);
    info.classInfo = this.binder.currentClass;
    node.fn = info;
    info.ordinal = this.binder.functions.length;
    this.binder.functions.push(info);
    markDirty(node);
    this.binder.inFunction(() => {
      if (node.type === 'FunctionExpression' && node.id !== null && kind === 'function') {
        this.binder.scope = this.binder.newScope('name', node, this.binder.fn);
        this.binder.scope.declare(node.id.name, 'name', node.start, node.start);
        this.binder.identifiers.add(node.id.name);
      }
      if (node.type === 'FunctionDeclaration' && node.id !== null) {
        // The variable is initialised when its scope is entered.
        node.id.parent = node;
        this.binder.addReference(node.id, { writes: true, initialises: true });
      }
      this.binder.fn = info;
      const scope = this.binder.newScope('function', node, info);
      info.scope = scope;
      node.scope = scope;
      this.binder.scope = scope;
      for (const param of node.params) {
        this.bind(param.type === 'AssignmentPattern' ? param.left : param, param, 'param', scope);
      }
      const referencesBefore = this.binder.references.length;
      for (const param of node.params) this.visitTarget(param, node, { writes: true, initialises: true });
      if (node.body.type === 'BlockStatement') {
        node.body.parent = node;
        const parameterReferences = this.binder.references.slice(referencesBefore);
        if (bodyRedeclares(info, parameterReferences)) {
          info.bodyScope = this.binder.newScope('function', node.body, info);
          this.binder.scope = info.bodyScope;
        }
        node.body.scope = this.binder.scope;
        this.binder.hoist(statements(node.body));
        if (this.visitAll(statements(node.body), node.body)) node.body.suspends = true;
      } else this.visit(node.body, node);
    });
  }

  private visitClass(node: Node): boolean {
    const scope = this.binder.newScope('class', node);
    node.scope = scope;
    if (node.id !== null) {
      node.id.parent = node;
      if (node.type === 'ClassDeclaration') this.binder.addReference(node.id, { writes: true, initialises: true });
      scope.declare(node.id.name, 'name', node.start, node.end);
      this.binder.identifiers.add(node.id.name);
    }
    const info: ClassInfo = {
      node,
      outer: this.binder.currentClass,
      scope,
      privates: new Map(),
      handle: null,
      handledPrivates: new Set(),
      ordinal: this.binder.classes.length,
    };
    node.classInfo = info;
    this.binder.classes.push(info);
    markDirty(node);
    for (const member of statements(node.body)) {
      if (member.type !== 'StaticBlock' && member.key.type === 'PrivateIdentifier') {
        // A getter and a setter share a name. The getter's node represents both.
        if (!info.privates.has(member.key.name) || member.kind === 'get') info.privates.set(member.key.name, member);
      }
    }
    const outerClass = this.binder.currentClass;
    let suspends = false;
    this.binder.inScope(scope, () => {
      const outerStrict = this.binder.fn.strict;
      this.binder.fn.strict = true;
      if (node.superClass !== null) suspends = this.visit(node.superClass, node);
      this.binder.currentClass = info;
      node.body.parent = node;
      for (const member of statements(node.body)) suspends = this.visitMember(member, node.body) || suspends;
      this.binder.currentClass = outerClass;
      this.binder.fn.strict = outerStrict;
    });
    return suspends;
  }

  private visitMember(member: Node, body: Node): boolean {
    member.parent = body;
    if (member.type === 'StaticBlock') {
      this.visitInPseudoFunction(member, 'block', () => {
        this.binder.hoist(statements(member));
        this.visitAll(statements(member), member);
      });
      return false;
    }
    const suspends = member.computed && this.visit(member.key, member);
    member.key.parent = member;
    if (member.type === 'MethodDefinition') {
      member.value.parent = member;
      this.visitFunction(member.value, member.kind === 'constructor' ? 'constructor' : 'method');
      if (member.value.generator && member.key.type !== 'PrivateIdentifier')
        this.binder.useHandleForGenerator(member.value.fn as FunctionInfo);
    } else if (member.value !== null) {
      this.visitInPseudoFunction(member, 'field', () => this.visit(member.value, member));
    }
    if (suspends) member.suspends = true;
    return suspends;
  }

  private visitInPseudoFunction(node: Node, kind: 'field' | 'block', run: () => void): void {
    const info = new FunctionInfo(node, kind, this.binder.fn, true);
    info.classInfo = this.binder.currentClass;
    node.fn = info;
    this.binder.inFunction(() => {
      this.binder.fn = info;
      this.binder.scope = this.binder.newScope('function', node, info);
      info.scope = this.binder.scope;
      node.scope = this.binder.scope;
      run();
    });
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
