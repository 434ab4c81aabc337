// Who means whom in a TypeScript file: scopes, the names that merged namespaces share, and the references to them.
//
// Knows as much as lowering needs: names exported by a namespace are properties of its object and may come from any of its
// blocks; a decorated class is called by another name inside itself; metadata names types.

import type { Code } from './code.ts';
import { declarationOf, isTypeOnly, listOf, namesIn, type TsNode, valuesIn } from './typescript-tree.ts';

/** What all blocks of one namespace, or of a namespace and an enum, have in common. */
export class Container {
  readonly values: Set<string> = new Set();
  readonly types: Map<string, TsNode> = new Map();
  readonly containers: Map<string, Container> = new Map();
  /** An object of that name is already there when a block begins. */
  exists = false;
}

export interface NamespaceBlock {
  readonly name: TsNode;
  readonly container: Container;
  /** The parameter that holds the namespace's object inside the block. */
  parameter: string;
}

export interface Declaration {
  readonly node: TsNode;
  /** The block whose object has the value: the name is no variable. */
  readonly block: NamespaceBlock | null;
  uses: number;
}

export class TsScope {
  readonly parent: TsScope | null;
  readonly isFunction: boolean;
  readonly block: NamespaceBlock | null;
  readonly values: Map<string, Declaration> = new Map();
  readonly types: Map<string, TsNode> = new Map();
  readonly containers: Map<string, Container> = new Map();

  constructor(parent: TsScope | null, isFunction = false, block: NamespaceBlock | null = null) {
    this.parent = parent;
    this.isFunction = isFunction || block !== null;
    this.block = block;
  }

  resolve(name: string): Declaration | undefined {
    for (let scope: TsScope | null = this; scope !== null; scope = scope.parent) {
      const found = scope.values.get(name);
      if (found !== undefined) return found;
      const { block } = scope;
      if (block?.container.values.has(name) === true) return { node: block.name, block, uses: 0 };
    }
    return undefined;
  }

  /** The node that declares a type, or a container to look further in. */
  resolveType(name: string): TsNode | undefined {
    for (let scope: TsScope | null = this; scope !== null; scope = scope.parent) {
      const found = scope.types.get(name) ?? scope.block?.container.types.get(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  resolveContainer(name: string): Container | undefined {
    for (let scope: TsScope | null = this; scope !== null; scope = scope.parent) {
      const found = scope.containers.get(name) ?? scope.block?.container.containers.get(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

export interface Reference {
  readonly node: TsNode;
  readonly scope: TsScope;
  readonly shorthand: boolean;
}

export interface NamespaceRecord {
  readonly node: TsNode;
  readonly statement: TsNode;
  /** More than one for `namespace A.B {}`. */
  readonly blocks: readonly NamespaceBlock[];
  readonly scope: TsScope;
  /** The block it is exported from. */
  readonly from: NamespaceBlock | null;
  /** Needs no variable: an earlier declaration made it. */
  readonly merges: boolean;
  /** An exported enum of a block before had that name; by enum statement. */
  readonly seeded: ReadonlySet<TsNode>;
}

export interface ClassRecord {
  readonly node: TsNode;
  readonly statement: TsNode;
  /** Of the class body: knows type parameters. */
  readonly scope: TsScope;
  readonly from: NamespaceBlock | null;
}

export interface AccessorRecord {
  readonly member: TsNode;
  readonly owner: TsNode;
  /** The statement that makes the class. */
  readonly statement: TsNode;
}

/** The variables that are declared anywhere inside a block. */
interface BlockNames {
  readonly block: NamespaceBlock;
  readonly declared: Set<string>;
}

export class TypeScriptScopes {
  readonly root: TsScope = new TsScope(null, true);
  readonly references: Reference[] = [];
  readonly namespaces: NamespaceRecord[] = [];
  readonly classes: ClassRecord[] = [];
  readonly accessors: AccessorRecord[] = [];
  /** `import x = require('y')`. */
  readonly requires: { readonly node: TsNode; readonly statement: TsNode }[] = [];
  /** What a decorated accessor begins with, in the place of its initialiser. */
  readonly accessorValues: Map<TsNode, () => Code> = new Map();
  /** Where decorators have left the functions of a private accessor. */
  readonly accessorDescriptors: Map<TsNode, string> = new Map();
  /** Of anonymous class expressions, from what they are assigned to. */
  readonly inferredNames: Map<TsNode, string> = new Map();
  readonly #storages: Map<TsNode, string> = new Map();
  readonly #keys: Map<TsNode, string> = new Map();
  /** Import declarations by the local names they make. */
  readonly imports: Map<string, { readonly statement: TsNode; readonly specifier: TsNode }> = new Map();
  readonly #taken: Set<string> = new Set();
  readonly #blocks: BlockNames[] = [];
  readonly #open: BlockNames[] = [];

  constructor(program: TsNode) {
    this.#statements(listOf(program), this.root, null);
    for (const { node, scope } of this.references) {
      const found = scope.resolve(node.name);
      if (found !== undefined) found.uses++;
    }
    for (const { block, declared } of this.#blocks)
      if (declared.has(block.name.name)) block.parameter = this.fresh(`${block.name.name}_1`);
  }

  /** A name that the file does not have. */
  fresh(wanted: string): string {
    let name = wanted;
    for (let i = 2; this.#taken.has(name); i++) name = `${wanted.replace(/_\d+$/, '')}_${i}`;
    this.#taken.add(name);
    return name;
  }

  /** The private field behind an accessor. */
  storageOf(member: TsNode): string {
    let name = this.#storages.get(member);
    if (name === undefined) {
      const { key } = member;
      const isNamed = key.type === 'PrivateIdentifier' || (key.type === 'Identifier' && !member.computed);
      this.#storages.set(member, (name = this.fresh(`${isNamed ? key.name : ''}_accessor_storage`)));
    }
    return name;
  }

  /** Variables of `keyOf`. */
  get keys(): Iterable<string> {
    return this.#keys.values();
  }

  /** The variable that keeps a computed key, if the key has to be evaluated only once. */
  keyOf(member: TsNode): string | null {
    if (!member.computed || member.key.type === 'Literal') return null;
    let name = this.#keys.get(member);
    if (name === undefined) this.#keys.set(member, (name = this.fresh('key_1')));
    return name;
  }

  #declare(scope: TsScope, name: string, node: TsNode, block: NamespaceBlock | null = null): void {
    const before = scope.values.get(name);
    // A namespace that merges with a function or class is found as that.
    if (before === undefined || before.block !== null) scope.values.set(name, { node, block, uses: 0 });
    this.#taken.add(name);
    if (block === null) for (const { declared } of this.#open) declared.add(name);
  }

  #declareVar(scope: TsScope, name: string, node: TsNode): void {
    let at = scope;
    while (!at.isFunction && at.parent !== null) at = at.parent;
    this.#declare(at, name, node);
  }

  #statements(list: readonly TsNode[], scope: TsScope, block: NamespaceBlock | null): void {
    for (const statement of list) {
      const exported = statement.type === 'ExportNamedDeclaration' && statement.declaration !== null;
      this.#statement(statement, scope, exported ? block : null);
    }
  }

  /** `from`: the block that exports what the statement declares. */
  #statement(statement: TsNode, scope: TsScope, from: NamespaceBlock | null): void {
    const node = declarationOf(statement);
    if (this.#declaredType(node, scope, from)) return;
    switch (node.type) {
      case 'VariableDeclaration':
        for (const { id } of node.declarations) {
          for (const { name } of namesIn(id as TsNode)) {
            from?.container.values.add(name);
            if (from === null && node.kind === 'var') this.#declareVar(scope, name, node);
            else this.#declare(scope, name, node, from);
          }
        }
        this.#variables(node, scope);
        return;
      case 'FunctionDeclaration':
      case 'ClassDeclaration':
        if (node.id !== null) {
          from?.container.values.add(node.id.name);
          this.#declare(scope, node.id.name, node);
        }
        if (node.type === 'FunctionDeclaration') this.#function(node, scope);
        else this.#class(node, scope, statement, from);
        return;
      case 'TSEnumDeclaration':
        this.#enum(node, scope, from);
        return;
      case 'TSModuleDeclaration':
        this.#namespace(node, scope, statement, from);
        return;
      case 'TSImportEqualsDeclaration':
        if (node.id !== null) {
          from?.container.values.add(node.id.name);
          this.#declare(scope, node.id.name, node, from);
        }
        if (node.moduleReference.type === 'TSExternalModuleReference') this.requires.push({ node, statement });
        this.#visit(node.moduleReference, scope);
        return;
      case 'ImportDeclaration':
        this.#import(node, scope);
        return;
      case 'ExportNamedDeclaration':
        if (node.source === null)
          for (const each of node.specifiers)
            if (each.exportKind !== 'type' && node.exportKind !== 'type') this.#visit(each.local, scope);
        return;
      case 'ExportAllDeclaration':
        return;
      default:
        this.#visit(node, scope);
    }
  }

  #declaredType(node: TsNode, scope: TsScope, from: NamespaceBlock | null): boolean {
    const isType =
      node.type === 'TSInterfaceDeclaration' ||
      node.type === 'TSTypeAliasDeclaration' ||
      node.type === 'ClassDeclaration' ||
      node.type === 'TSEnumDeclaration';
    if (isType && node.id !== null) {
      const types = from?.container.types ?? scope.types;
      // Beside a class or enum of the same name an interface adds nothing at run time.
      if (!types.has(node.id.name) || node.type === 'ClassDeclaration') types.set(node.id.name, node);
      if (node.type === 'TSEnumDeclaration' || node.type === 'ClassDeclaration') return node.declare === true;
    }
    return isTypeOnly(node);
  }

  #import(node: TsNode, scope: TsScope): void {
    for (const specifier of node.specifiers) {
      const { name } = specifier.local;
      this.#declare(scope, name, specifier);
      scope.types.set(name, specifier);
      this.imports.set(name, { statement: node, specifier });
    }
  }

  #variables(node: TsNode, scope: TsScope): void {
    for (const { id, init } of node.declarations) {
      this.#pattern(id as TsNode, scope);
      if (init !== null) {
        this.#named(id as TsNode, init);
        this.#visit(init, scope);
      }
    }
  }

  /** What a binding pattern evaluates. */
  #pattern(node: TsNode, scope: TsScope): void {
    for (const decorator of node.decorators ?? []) this.#visit(decorator.expression, scope);
    switch (node.type) {
      case 'Identifier':
        this.#taken.add(node.name);
        return;
      case 'ObjectPattern':
        for (const each of node.properties) {
          if (each.type === 'RestElement') this.#pattern(each.argument, scope);
          else {
            if (each.computed) this.#visit(each.key, scope);
            this.#pattern(each.value as TsNode, scope);
          }
        }
        return;
      case 'ArrayPattern':
        for (const each of node.elements) if (each !== null) this.#pattern(each, scope);
        return;
      case 'AssignmentPattern':
        this.#pattern(node.left, scope);
        this.#named(node.left, node.right);
        this.#visit(node.right, scope);
        return;
      case 'RestElement':
        this.#pattern(node.argument, scope);
        return;
      case 'TSParameterProperty':
        this.#pattern(node.parameter, scope);
    }
  }

  #function(node: TsNode, scope: TsScope): void {
    const inner = new TsScope(scope, true);
    if (node.type === 'FunctionExpression' && node.id !== null) this.#declare(inner, node.id.name, node);
    for (const parameter of node.params) {
      for (const { name } of namesIn(parameter)) this.#declare(inner, name, parameter);
      this.#pattern(parameter, inner);
    }
    const { body } = node;
    if (body === null) return;
    if (body.type === 'BlockStatement') this.#statements(listOf(body), inner, null);
    else this.#visit(body, inner);
  }

  #class(node: TsNode, scope: TsScope, statement: TsNode, from: NamespaceBlock | null): void {
    for (const decorator of node.decorators ?? []) this.#visit(decorator.expression, scope);
    const inner = new TsScope(scope);
    if (node.type === 'ClassExpression' && node.id !== null) this.#declare(inner, node.id.name, node);
    this.#typeParameters(node, inner);
    if (node.superClass !== null) this.#visit(node.superClass, inner);
    for (const member of listOf(node.body as TsNode)) {
      this.#visit(member, inner);
      if (member.type === 'AccessorProperty') this.accessors.push({ member, owner: node, statement });
    }
    if (isDecorated(node)) this.classes.push({ node, statement, scope: inner, from });
  }

  #typeParameters(node: TsNode, scope: TsScope): void {
    for (const each of node.typeParameters?.params ?? []) scope.types.set((each.name as unknown as TsNode).name, each);
  }

  #named(target: TsNode, value: TsNode): void {
    if (value.type === 'ParenthesizedExpression') this.#named(target, value.expression);
    else if (value.type === 'ClassExpression' && value.id === null) {
      const name = target.type === 'Literal' ? String(target.value) : target.name;
      if (name !== undefined) this.inferredNames.set(value, target.type === 'PrivateIdentifier' ? `#${name}` : name);
    }
  }

  #enum(node: TsNode, scope: TsScope, from: NamespaceBlock | null): void {
    const { name } = node.id as TsNode;
    from?.container.values.add(name);
    this.#declare(scope, name, node);
    const container = containerIn(from?.container ?? scope, name);
    container.exists = true;
    const inner = new TsScope(scope);
    for (const { id, initializer } of (node.body as TsNode).members) {
      const member = (id as TsNode).name ?? String((id as TsNode).value);
      inner.values.set(member, { node, block: null, uses: 0 });
      if (initializer !== null) this.#visit(initializer, inner);
    }
  }

  #namespace(node: TsNode, scope: TsScope, statement: TsNode, from: NamespaceBlock | null): void {
    const names = partsOf(node.id as TsNode);
    const [first] = names as [TsNode];
    const merges = scope.values.get(first.name)?.block === null;
    from?.container.values.add(first.name);
    this.#declare(scope, first.name, node);
    const blocks: NamespaceBlock[] = [];
    let inner = scope;
    let above = from?.container;
    for (const name of names) {
      const container = containerIn(above ?? inner, name.name);
      if (blocks.length > 0) above?.values.add(name.name);
      const block: NamespaceBlock = { name, container, parameter: name.name };
      blocks.push(block);
      for (const { declared } of this.#open) declared.add(name.name);
      const known = { block, declared: new Set<string>() };
      this.#blocks.push(known);
      this.#open.push(known);
      inner = new TsScope(inner, true, block);
      above = container;
    }
    const seeded = new Set<TsNode>();
    const body = listOf(node.body as TsNode);
    for (const each of body) {
      const declaration = declarationOf(each);
      if (each !== declaration && declaration.type === 'TSEnumDeclaration')
        if (above?.containers.get(declaration.id?.name ?? '')?.exists === true) seeded.add(declaration);
    }
    this.#statements(body, inner, blocks.at(-1) as NamespaceBlock);
    this.#open.length -= names.length;
    this.namespaces.push({ node, statement, blocks, scope: inner, from, merges, seeded });
  }

  #visit(node: TsNode, scope: TsScope, shorthand = false): void {
    switch (node.type) {
      case 'Identifier':
        this.#taken.add(node.name);
        this.references.push({ node, scope, shorthand });
        return;
      case 'JSXIdentifier':
        if (/^[A-Z$_]/.test(node.name)) this.references.push({ node, scope, shorthand });
        return;
      case 'JSXAttribute':
        if (node.value !== null) this.#visit(node.value, scope);
        return;
      case 'JSXMemberExpression':
        this.#visit((node as unknown as { object: TsNode }).object, scope);
        return;
      case 'MemberExpression': {
        const { object, property } = node as unknown as { object: TsNode; property: TsNode };
        this.#visit(object, scope);
        if (node.computed) this.#visit(property, scope);
        return;
      }
      case 'TSQualifiedName':
        this.#visit(node.left, scope);
        return;
      case 'Property':
        if (node.computed) this.#visit(node.key, scope);
        if (!node.computed) this.#named(node.key, node.value as TsNode);
        this.#visit(node.value as TsNode, scope, node.shorthand);
        return;
      case 'AssignmentPattern':
      case 'AssignmentExpression':
        this.#named(node.left, node.right);
        this.#visit(node.left, scope, shorthand);
        this.#visit(node.right, scope);
        return;
      case 'MethodDefinition':
      case 'PropertyDefinition':
      case 'AccessorProperty':
      case 'TSAbstractMethodDefinition':
      case 'TSAbstractPropertyDefinition':
      case 'TSAbstractAccessorProperty':
        if (node.key.type === 'PrivateIdentifier') this.#taken.add(node.key.name);
        for (const decorator of node.decorators ?? []) this.#visit(decorator.expression, scope);
        if (node.computed) this.#visit(node.key, scope);
        if (node.value !== null) {
          if (!node.computed) this.#named(node.key, node.value);
          this.#visit(node.value, scope);
        }
        return;
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        this.#function(node, scope);
        return;
      case 'ClassExpression':
        this.#class(node, scope, node, null);
        return;
      case 'BlockStatement':
        this.#statements(listOf(node), new TsScope(scope), null);
        return;
      case 'StaticBlock':
        this.#statements(listOf(node), new TsScope(scope, true), null);
        return;
      case 'ForStatement':
      case 'ForInStatement':
      case 'ForOfStatement':
      case 'SwitchStatement': {
        const inner = new TsScope(scope);
        for (const child of valuesIn(node)) this.#statement(child, inner, null);
        return;
      }
      case 'SwitchCase':
        for (const child of valuesIn(node)) this.#statement(child, scope, null);
        return;
      case 'CatchClause': {
        const inner = new TsScope(scope);
        if (node.param !== null) {
          for (const { name } of namesIn(node.param)) this.#declare(inner, name, node);
          this.#pattern(node.param, inner);
        }
        this.#visit(node.body as TsNode, inner);
        return;
      }
      case 'LabeledStatement':
        this.#statement(node.body as TsNode, scope, null);
        return;
      case 'BreakStatement':
      case 'ContinueStatement':
      case 'MetaProperty':
      case 'TSEmptyBodyFunctionExpression':
      case 'TSIndexSignature':
        return;
      case 'VariableDeclaration':
      case 'FunctionDeclaration':
      case 'ClassDeclaration':
      case 'TSEnumDeclaration':
      case 'TSModuleDeclaration':
        this.#statement(node, scope, null);
        return;
      default:
        for (const child of valuesIn(node)) this.#visit(child, scope);
    }
  }
}

function containerIn(outer: Pick<Container, 'containers'>, name: string): Container {
  let found = outer.containers.get(name);
  if (found === undefined) outer.containers.set(name, (found = new Container()));
  return found;
}

/** The names of `A.B.C`. */
export function partsOf(id: TsNode): TsNode[] {
  return id.type === 'TSQualifiedName' ? [...partsOf(id.left), id.right] : [id];
}

export function hasDecorators(nodes: readonly TsNode[]): boolean {
  return nodes.some((each) => (each.decorators ?? []).length > 0);
}

/** The class itself, a member or a parameter. */
export function isDecorated(node: TsNode): boolean {
  const members = listOf(node.body as TsNode);
  return hasDecorators([node, ...members]) || members.some((member) => hasDecorators(member.value?.params ?? []));
}
