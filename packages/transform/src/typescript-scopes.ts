// Name resolution in a TypeScript file: scopes, the names that merged namespaces share, and references to names. Only
// the needs of lowering are covered. Names that a namespace exports are properties of its object, and may come from any
// of its blocks. A decorated class has another name inside itself. Metadata refers to types.

import type { Code } from './code.ts';
import {
  exportedDeclaration,
  isTypeOnly,
  bodyStatements,
  boundNames,
  type TsNode,
  runtimeChildren,
} from './typescript-tree.ts';

/** State shared by all blocks of one namespace, or of a namespace and an enum. */
export class NamespaceContainer {
  readonly values: Set<string> = new Set();
  readonly types: Map<string, TsNode> = new Map();
  readonly containers: Map<string, NamespaceContainer> = new Map();
  /** Whether the namespace's object already exists when a block starts. */
  exists = false;
}

export interface NamespaceBlock {
  readonly name: TsNode;
  readonly container: NamespaceContainer;
  /** Name of the block's parameter, which holds the namespace's object. */
  parameter: string;
}

export interface TsDeclaration {
  readonly node: TsNode;
  /** Block whose object has the value as a property; null if the name is a variable. */
  readonly block: NamespaceBlock | null;
  useCount: number;
}

export class TsScope {
  readonly parent: TsScope | null;
  readonly isFunction: boolean;
  readonly block: NamespaceBlock | null;
  readonly values: Map<string, TsDeclaration> = new Map();
  readonly types: Map<string, TsNode> = new Map();
  readonly containers: Map<string, NamespaceContainer> = new Map();

  constructor(parent: TsScope | null, isFunction = false, block: NamespaceBlock | null = null) {
    this.parent = parent;
    this.isFunction = isFunction || block !== null;
    this.block = block;
  }

  resolve(name: string): TsDeclaration | undefined {
    for (let scope: TsScope | null = this; scope !== null; scope = scope.parent) {
      const found = scope.values.get(name);
      if (found !== undefined) return found;
      const { block } = scope;
      if (block?.container.values.has(name) === true) return { node: block.name, block, useCount: 0 };
    }
    return undefined;
  }

  /** Node that declares a type, or a container for further lookup. */
  resolveType(name: string): TsNode | undefined {
    for (let scope: TsScope | null = this; scope !== null; scope = scope.parent) {
      const found = scope.types.get(name) ?? scope.block?.container.types.get(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  resolveContainer(name: string): NamespaceContainer | undefined {
    for (let scope: TsScope | null = this; scope !== null; scope = scope.parent) {
      const found = scope.containers.get(name) ?? scope.block?.container.containers.get(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

export interface TsReference {
  readonly node: TsNode;
  readonly scope: TsScope;
  readonly isShorthand: boolean;
}

export interface NamespaceRecord {
  readonly node: TsNode;
  readonly statement: TsNode;
  /** Blocks of the statement, outermost first. Only `namespace A.B {}` and similar have several. */
  readonly blocks: readonly NamespaceBlock[];
  readonly scope: TsScope;
  /** Block that exports the namespace; null if none does. */
  readonly exportedFrom: NamespaceBlock | null;
  /** Whether an earlier declaration has already made the namespace's variable. */
  readonly isMerged: boolean;
  /** Enums that merge with an exported enum of the same name in an earlier block. */
  readonly mergedEnums: ReadonlySet<TsNode>;
}

export interface ClassRecord {
  readonly node: TsNode;
  readonly statement: TsNode;
  /** Scope of the class body, which also has the type parameters. */
  readonly scope: TsScope;
  readonly exportedFrom: NamespaceBlock | null;
}

export interface AccessorRecord {
  readonly member: TsNode;
  readonly owner: TsNode;
  /** Statement that contains the class. */
  readonly statement: TsNode;
}

/** Names of the variables declared anywhere inside a namespace block. */
interface BlockNames {
  readonly block: NamespaceBlock;
  readonly declared: Set<string>;
}

export class TypeScriptScopes {
  readonly root: TsScope = new TsScope(null, true);
  readonly references: TsReference[] = [];
  readonly namespaces: NamespaceRecord[] = [];
  readonly classes: ClassRecord[] = [];
  readonly accessors: AccessorRecord[] = [];
  /** Imports of the form `import x = require('y')`. */
  readonly requires: { readonly node: TsNode; readonly statement: TsNode }[] = [];
  /** Code of a decorated accessor's initial value, which replaces its initialiser. */
  readonly accessorValues: Map<TsNode, () => Code> = new Map();
  /** Code that holds the functions of a decorated private accessor. */
  readonly accessorDescriptors: Map<TsNode, string> = new Map();
  /** Names that anonymous class expressions get from their assignment targets. */
  readonly inferredNames: Map<TsNode, string> = new Map();
  readonly #storageNames: Map<TsNode, string> = new Map();
  readonly #keyVariables: Map<TsNode, string> = new Map();
  /** Import declarations and their specifiers, by local name. */
  readonly imports: Map<string, { readonly statement: TsNode; readonly specifier: TsNode }> = new Map();
  readonly #usedNames: Set<string> = new Set();
  readonly #blocks: BlockNames[] = [];
  readonly #openBlocks: BlockNames[] = [];

  constructor(program: TsNode) {
    this.#visitStatements(bodyStatements(program), this.root, null);
    for (const { node, scope } of this.references) {
      const found = scope.resolve(node.name);
      if (found !== undefined) found.useCount++;
    }
    for (const { block, declared } of this.#blocks)
      if (declared.has(block.name.name)) block.parameter = this.freshName(`${block.name.name}_1`);
  }

  /** Makes a name that does not occur in the file. */
  freshName(preferred: string): string {
    let name = preferred;
    for (let i = 2; this.#usedNames.has(name); i++) name = `${preferred.replace(/_\d+$/, '')}_${i}`;
    this.#usedNames.add(name);
    return name;
  }

  /** Name of the private field that holds an accessor's value. */
  storageName(member: TsNode): string {
    let name = this.#storageNames.get(member);
    if (name === undefined) {
      const { key } = member;
      const isNamed = key.type === 'PrivateIdentifier' || (key.type === 'Identifier' && !member.computed);
      this.#storageNames.set(member, (name = this.freshName(`${isNamed ? key.name : ''}_accessor_storage`)));
    }
    return name;
  }

  /** Names of all variables that `keyVariable` has made. */
  get keyVariables(): Iterable<string> {
    return this.#keyVariables.values();
  }

  /** Variable for a computed key, which must be evaluated only once; null if the key is literal. */
  keyVariable(member: TsNode): string | null {
    if (!member.computed || member.key.type === 'Literal') return null;
    let name = this.#keyVariables.get(member);
    if (name === undefined) this.#keyVariables.set(member, (name = this.freshName('key_1')));
    return name;
  }

  #declare(scope: TsScope, name: string, node: TsNode, block: NamespaceBlock | null = null): void {
    const existing = scope.values.get(name);
    // A namespace that merges with a function or class resolves to the function or class.
    if (existing === undefined || existing.block !== null) scope.values.set(name, { node, block, useCount: 0 });
    this.#usedNames.add(name);
    if (block === null) for (const { declared } of this.#openBlocks) declared.add(name);
  }

  #declareVar(scope: TsScope, name: string, node: TsNode): void {
    let functionScope = scope;
    while (!functionScope.isFunction && functionScope.parent !== null) functionScope = functionScope.parent;
    this.#declare(functionScope, name, node);
  }

  #visitStatements(list: readonly TsNode[], scope: TsScope, block: NamespaceBlock | null): void {
    for (const statement of list) {
      const isExported = statement.type === 'ExportNamedDeclaration' && statement.declaration !== null;
      this.#visitStatement(statement, scope, isExported ? block : null);
    }
  }

  /** Visits a statement. @param exportedFrom the namespace block that exports the statement's declarations */
  #visitStatement(statement: TsNode, scope: TsScope, exportedFrom: NamespaceBlock | null): void {
    const node = exportedDeclaration(statement);
    if (this.#declareType(node, scope, exportedFrom)) return;
    switch (node.type) {
      case 'VariableDeclaration':
        for (const { id } of node.declarations) {
          for (const { name } of boundNames(id as TsNode)) {
            exportedFrom?.container.values.add(name);
            if (exportedFrom === null && node.kind === 'var') this.#declareVar(scope, name, node);
            else this.#declare(scope, name, node, exportedFrom);
          }
        }
        this.#visitVariables(node, scope);
        return;
      case 'FunctionDeclaration':
      case 'ClassDeclaration':
        if (node.id !== null) {
          exportedFrom?.container.values.add(node.id.name);
          this.#declare(scope, node.id.name, node);
        }
        if (node.type === 'FunctionDeclaration') this.#visitFunction(node, scope);
        else this.#visitClass(node, scope, statement, exportedFrom);
        return;
      case 'TSEnumDeclaration':
        this.#visitEnum(node, scope, exportedFrom);
        return;
      case 'TSModuleDeclaration':
        this.#visitNamespace(node, scope, statement, exportedFrom);
        return;
      case 'TSImportEqualsDeclaration':
        if (node.id !== null) {
          exportedFrom?.container.values.add(node.id.name);
          this.#declare(scope, node.id.name, node, exportedFrom);
        }
        if (node.moduleReference.type === 'TSExternalModuleReference') this.requires.push({ node, statement });
        this.#visit(node.moduleReference, scope);
        return;
      case 'ImportDeclaration':
        this.#visitImport(node, scope);
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

  #declareType(node: TsNode, scope: TsScope, exportedFrom: NamespaceBlock | null): boolean {
    const isType =
      node.type === 'TSInterfaceDeclaration' ||
      node.type === 'TSTypeAliasDeclaration' ||
      node.type === 'ClassDeclaration' ||
      node.type === 'TSEnumDeclaration';
    if (isType && node.id !== null) {
      const types = exportedFrom?.container.types ?? scope.types;
      // An interface that merges with a class or enum does not exist at run time, so it must not replace the other.
      if (!types.has(node.id.name) || node.type === 'ClassDeclaration') types.set(node.id.name, node);
      if (node.type === 'TSEnumDeclaration' || node.type === 'ClassDeclaration') return node.declare === true;
    }
    return isTypeOnly(node);
  }

  #visitImport(node: TsNode, scope: TsScope): void {
    for (const specifier of node.specifiers) {
      const { name } = specifier.local;
      this.#declare(scope, name, specifier);
      scope.types.set(name, specifier);
      this.imports.set(name, { statement: node, specifier });
    }
  }

  #visitVariables(node: TsNode, scope: TsScope): void {
    for (const { id, init } of node.declarations) {
      this.#visitPattern(id as TsNode, scope);
      if (init !== null) {
        this.#inferName(id as TsNode, init);
        this.#visit(init, scope);
      }
    }
  }

  /** Visits the expressions that a binding pattern evaluates. */
  #visitPattern(node: TsNode, scope: TsScope): void {
    for (const decorator of node.decorators ?? []) this.#visit(decorator.expression, scope);
    switch (node.type) {
      case 'Identifier':
        this.#usedNames.add(node.name);
        return;
      case 'ObjectPattern':
        for (const each of node.properties) {
          if (each.type === 'RestElement') this.#visitPattern(each.argument, scope);
          else {
            if (each.computed) this.#visit(each.key, scope);
            this.#visitPattern(each.value as TsNode, scope);
          }
        }
        return;
      case 'ArrayPattern':
        for (const each of node.elements) if (each !== null) this.#visitPattern(each, scope);
        return;
      case 'AssignmentPattern':
        this.#visitPattern(node.left, scope);
        this.#inferName(node.left, node.right);
        this.#visit(node.right, scope);
        return;
      case 'RestElement':
        this.#visitPattern(node.argument, scope);
        return;
      case 'TSParameterProperty':
        this.#visitPattern(node.parameter, scope);
    }
  }

  #visitFunction(node: TsNode, scope: TsScope): void {
    const inner = new TsScope(scope, true);
    if (node.type === 'FunctionExpression' && node.id !== null) this.#declare(inner, node.id.name, node);
    for (const parameter of node.params) {
      for (const { name } of boundNames(parameter)) this.#declare(inner, name, parameter);
      this.#visitPattern(parameter, inner);
    }
    const { body } = node;
    if (body === null) return;
    if (body.type === 'BlockStatement') this.#visitStatements(bodyStatements(body), inner, null);
    else this.#visit(body, inner);
  }

  #visitClass(node: TsNode, scope: TsScope, statement: TsNode, exportedFrom: NamespaceBlock | null): void {
    for (const decorator of node.decorators ?? []) this.#visit(decorator.expression, scope);
    const inner = new TsScope(scope);
    if (node.type === 'ClassExpression' && node.id !== null) this.#declare(inner, node.id.name, node);
    this.#declareTypeParameters(node, inner);
    if (node.superClass !== null) this.#visit(node.superClass, inner);
    for (const member of bodyStatements(node.body as TsNode)) {
      this.#visit(member, inner);
      if (member.type === 'AccessorProperty') this.accessors.push({ member, owner: node, statement });
    }
    if (isDecorated(node)) this.classes.push({ node, statement, scope: inner, exportedFrom });
  }

  #declareTypeParameters(node: TsNode, scope: TsScope): void {
    for (const each of node.typeParameters?.params ?? []) scope.types.set((each.name as unknown as TsNode).name, each);
  }

  #inferName(target: TsNode, value: TsNode): void {
    if (value.type === 'ParenthesizedExpression') this.#inferName(target, value.expression);
    else if (value.type === 'ClassExpression' && value.id === null) {
      const name = target.type === 'Literal' ? String(target.value) : target.name;
      if (name !== undefined) this.inferredNames.set(value, target.type === 'PrivateIdentifier' ? `#${name}` : name);
    }
  }

  #visitEnum(node: TsNode, scope: TsScope, exportedFrom: NamespaceBlock | null): void {
    const { name } = node.id as TsNode;
    exportedFrom?.container.values.add(name);
    this.#declare(scope, name, node);
    const container = ensureContainer(exportedFrom?.container ?? scope, name);
    container.exists = true;
    const inner = new TsScope(scope);
    for (const { id, initializer } of (node.body as TsNode).members) {
      const member = (id as TsNode).name ?? String((id as TsNode).value);
      inner.values.set(member, { node, block: null, useCount: 0 });
      if (initializer !== null) this.#visit(initializer, inner);
    }
  }

  #visitNamespace(node: TsNode, scope: TsScope, statement: TsNode, exportedFrom: NamespaceBlock | null): void {
    const names = qualifiedNameParts(node.id as TsNode);
    const [first] = names as [TsNode];
    const isMerged = scope.values.get(first.name)?.block === null;
    exportedFrom?.container.values.add(first.name);
    this.#declare(scope, first.name, node);
    const blocks: NamespaceBlock[] = [];
    let inner = scope;
    let outerContainer = exportedFrom?.container;
    for (const name of names) {
      const container = ensureContainer(outerContainer ?? inner, name.name);
      if (blocks.length > 0) outerContainer?.values.add(name.name);
      const block: NamespaceBlock = { name, container, parameter: name.name };
      blocks.push(block);
      for (const { declared } of this.#openBlocks) declared.add(name.name);
      const blockNames = { block, declared: new Set<string>() };
      this.#blocks.push(blockNames);
      this.#openBlocks.push(blockNames);
      inner = new TsScope(inner, true, block);
      outerContainer = container;
    }
    const mergedEnums = new Set<TsNode>();
    const body = bodyStatements(node.body as TsNode);
    for (const each of body) {
      const declaration = exportedDeclaration(each);
      if (each !== declaration && declaration.type === 'TSEnumDeclaration')
        if (outerContainer?.containers.get(declaration.id?.name ?? '')?.exists === true) mergedEnums.add(declaration);
    }
    this.#visitStatements(body, inner, blocks.at(-1) as NamespaceBlock);
    this.#openBlocks.length -= names.length;
    this.namespaces.push({ node, statement, blocks, scope: inner, exportedFrom, isMerged, mergedEnums });
  }

  #visit(node: TsNode, scope: TsScope, isShorthand = false): void {
    switch (node.type) {
      case 'Identifier':
        this.#usedNames.add(node.name);
        this.references.push({ node, scope, isShorthand });
        return;
      case 'JSXIdentifier':
        if (/^[A-Z$_]/.test(node.name)) this.references.push({ node, scope, isShorthand });
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
        if (!node.computed) this.#inferName(node.key, node.value as TsNode);
        this.#visit(node.value as TsNode, scope, node.shorthand);
        return;
      case 'AssignmentPattern':
      case 'AssignmentExpression':
        this.#inferName(node.left, node.right);
        this.#visit(node.left, scope, isShorthand);
        this.#visit(node.right, scope);
        return;
      case 'MethodDefinition':
      case 'PropertyDefinition':
      case 'AccessorProperty':
      case 'TSAbstractMethodDefinition':
      case 'TSAbstractPropertyDefinition':
      case 'TSAbstractAccessorProperty':
        if (node.key.type === 'PrivateIdentifier') this.#usedNames.add(node.key.name);
        for (const decorator of node.decorators ?? []) this.#visit(decorator.expression, scope);
        if (node.computed) this.#visit(node.key, scope);
        if (node.value !== null) {
          if (!node.computed) this.#inferName(node.key, node.value);
          this.#visit(node.value, scope);
        }
        return;
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        this.#visitFunction(node, scope);
        return;
      case 'ClassExpression':
        this.#visitClass(node, scope, node, null);
        return;
      case 'BlockStatement':
        this.#visitStatements(bodyStatements(node), new TsScope(scope), null);
        return;
      case 'StaticBlock':
        this.#visitStatements(bodyStatements(node), new TsScope(scope, true), null);
        return;
      case 'ForStatement':
      case 'ForInStatement':
      case 'ForOfStatement':
      case 'SwitchStatement': {
        const inner = new TsScope(scope);
        for (const child of runtimeChildren(node)) this.#visitStatement(child, inner, null);
        return;
      }
      case 'SwitchCase':
        for (const child of runtimeChildren(node)) this.#visitStatement(child, scope, null);
        return;
      case 'CatchClause': {
        const inner = new TsScope(scope);
        if (node.param !== null) {
          for (const { name } of boundNames(node.param)) this.#declare(inner, name, node);
          this.#visitPattern(node.param, inner);
        }
        this.#visit(node.body as TsNode, inner);
        return;
      }
      case 'LabeledStatement':
        this.#visitStatement(node.body as TsNode, scope, null);
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
        this.#visitStatement(node, scope, null);
        return;
      default:
        for (const child of runtimeChildren(node)) this.#visit(child, scope);
    }
  }
}

function ensureContainer(outer: Pick<NamespaceContainer, 'containers'>, name: string): NamespaceContainer {
  let found = outer.containers.get(name);
  if (found === undefined) outer.containers.set(name, (found = new NamespaceContainer()));
  return found;
}

/** Identifiers of a qualified name such as `A.B.C`. */
export function qualifiedNameParts(id: TsNode): TsNode[] {
  return id.type === 'TSQualifiedName' ? [...qualifiedNameParts(id.left), id.right] : [id];
}

export function hasDecorators(nodes: readonly TsNode[]): boolean {
  return nodes.some((each) => (each.decorators ?? []).length > 0);
}

/** Whether a class, one of its members or one of their parameters has a decorator. */
export function isDecorated(node: TsNode): boolean {
  const members = bodyStatements(node.body as TsNode);
  return hasDecorators([node, ...members]) || members.some((member) => hasDecorators(member.value?.params ?? []));
}
