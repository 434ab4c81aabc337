// The syntax tree of a TypeScript file, for lowering: the tree of oxc-parser through one wide type.

import { visitorKeys } from 'oxc-parser';

export interface TsNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly id: TsNode | null;
  /** One node, or the nodes of a program, block or class body (see `bodyStatements`). */
  readonly body: TsNode | null;
  readonly params: readonly TsNode[];
  readonly decorators?: readonly TsNode[];
  readonly expression: TsNode;
  readonly key: TsNode;
  readonly value: TsNode | null;
  readonly kind: string;
  readonly async: boolean;
  readonly static: boolean;
  readonly computed: boolean;
  readonly shorthand: boolean;
  readonly declare?: boolean;
  readonly definite?: boolean;
  readonly left: TsNode;
  readonly right: TsNode;
  readonly argument: TsNode;
  readonly operator: string;
  readonly parameter: TsNode;
  readonly properties: readonly TsNode[];
  readonly elements: readonly (TsNode | null)[];
  readonly declarations: readonly TsNode[];
  readonly declaration: TsNode | null;
  readonly specifiers: readonly TsNode[];
  readonly source: TsNode | null;
  readonly local: TsNode;
  readonly imported: TsNode;
  readonly importKind?: string;
  readonly exportKind?: string;
  readonly init: TsNode | null;
  readonly initializer: TsNode | null;
  readonly members: readonly TsNode[];
  readonly moduleReference: TsNode;
  readonly param: TsNode | null;
  readonly superClass: TsNode | null;
  readonly typeAnnotation: TsNode | null;
  readonly typeParameters: TsNode | null;
  readonly typeArguments: TsNode | null;
  readonly returnType: TsNode | null;
  readonly typeName: TsNode;
  readonly types: readonly TsNode[];
  readonly trueType: TsNode;
  readonly falseType: TsNode;
  readonly elementType: TsNode;
  readonly literal: TsNode;
  readonly constraint: TsNode | null;
  readonly asserts: boolean;
}

/** Nodes of a body that is a list. */
export function bodyStatements(node: TsNode): readonly TsNode[] {
  return node.body as unknown as readonly TsNode[];
}

const TYPE_KEYS = new Set([
  'typeAnnotation',
  'typeParameters',
  'typeArguments',
  'returnType',
  'superTypeArguments',
  'implements',
]);

const valueKeys: Map<string, readonly string[]> = new Map();

/** Child nodes that exist at run time. */
export function runtimeChildren(node: TsNode): TsNode[] {
  let keys = valueKeys.get(node.type);
  if (keys === undefined) {
    keys = (visitorKeys[node.type] ?? []).filter((key) => !TYPE_KEYS.has(key));
    valueKeys.set(node.type, keys);
  }
  const fields = node as unknown as Readonly<Record<string, TsNode | readonly (TsNode | null)[] | null | undefined>>;
  const found: TsNode[] = [];
  for (const key of keys) {
    const child = fields[key];
    if (child === null || child === undefined) continue;
    if ('type' in child) found.push(child);
    else for (const each of child) if (each !== null) found.push(each);
  }
  return found;
}

/** Identifiers that a pattern or parameter binds. */
export function boundNames(pattern: TsNode): TsNode[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern];
    case 'ObjectPattern':
      return pattern.properties.flatMap((each) =>
        boundNames(each.type === 'RestElement' ? each.argument : (each.value as TsNode)),
      );
    case 'ArrayPattern':
      return pattern.elements.flatMap((each) => (each === null ? [] : boundNames(each)));
    case 'AssignmentPattern':
      return boundNames(pattern.left);
    case 'RestElement':
      return boundNames(pattern.argument);
    case 'TSParameterProperty':
      return boundNames(pattern.parameter);
    default:
      return [];
  }
}

/** Declaration that a statement exports; the statement itself if it exports none. */
export function exportedDeclaration(statement: TsNode): TsNode {
  const exports = statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportDefaultDeclaration';
  return (exports ? statement.declaration : null) ?? statement;
}

/** Whether a declaration does not exist at run time. */
export function isTypeOnly(declaration: TsNode): boolean {
  switch (declaration.type) {
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
    case 'TSDeclareFunction':
      return true;
    case 'TSModuleDeclaration':
      return declaration.declare === true || declaration.body === null || !isInstantiated(declaration);
    case 'TSImportEqualsDeclaration':
      return declaration.importKind === 'type';
    default:
      return declaration.declare === true;
  }
}

/** Whether a namespace has an object at run time. A namespace of types alone has none. */
export function isInstantiated(namespace: TsNode): boolean {
  return bodyStatements(namespace.body as TsNode).some((statement) => {
    const declaration = exportedDeclaration(statement);
    switch (declaration.type) {
      case 'TSInterfaceDeclaration':
      case 'TSTypeAliasDeclaration':
        return false;
      case 'TSImportEqualsDeclaration':
        return statement.type === 'ExportNamedDeclaration' && declaration.importKind !== 'type';
      case 'TSModuleDeclaration':
        return declaration.body !== null && isInstantiated(declaration);
      default:
        return true;
    }
  });
}
