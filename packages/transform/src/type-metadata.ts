// Metadata of `emitDecoratorMetadata`: `design:type`, `design:paramtypes`, `design:returntype`. As in tsc for a file
// compiled alone, a type becomes the nearest run-time value. For an imported name, the code checks at run time whether
// the name is a function. A name that only metadata uses is read as a member of its module's namespace, so that the
// name of a type causes no error.

import type { TsScope, TypeScriptScopes } from './typescript-scopes.ts';
import { bodyStatements, type TsNode } from './typescript-tree.ts';

/** Code of a run-time type. Unions compare these texts. */
type RuntimeType = string;

const OBJECT = 'Object';
const VOID = 'void 0';

const KEYWORD_TYPES: Readonly<Record<string, RuntimeType>> = {
  TSVoidKeyword: VOID,
  TSUndefinedKeyword: VOID,
  TSNeverKeyword: VOID,
  TSNullKeyword: VOID,
  TSFunctionType: 'Function',
  TSConstructorType: 'Function',
  TSArrayType: 'Array',
  TSTupleType: 'Array',
  TSBooleanKeyword: 'Boolean',
  TSStringKeyword: 'String',
  TSTemplateLiteralType: 'String',
  TSNumberKeyword: 'Number',
  TSBigIntKeyword: 'BigInt',
  TSSymbolKeyword: 'Symbol',
};

export class TypeMetadata {
  readonly #scopes: TypeScriptScopes;
  readonly #strictNullChecks: boolean;
  /** Imported names that only metadata uses, with the namespace object that has them as members. */
  readonly namespaces: Map<TsNode, string> = new Map();

  constructor(scopes: TypeScriptScopes, strictNullChecks: boolean) {
    this.#scopes = scopes;
    this.#strictNullChecks = strictNullChecks;
  }

  /** Metadata of a method, accessor or field. */
  memberMetadata(member: TsNode, members: readonly TsNode[], scope: TsScope): [name: string, value: string][] {
    if (member.type !== 'MethodDefinition') {
      return [['design:type', this.#runtimeType(annotationOf(member), scope)]];
    }
    const method = member.value as TsNode;
    if (member.kind === 'method') {
      const returned = annotationOf({ ...method, typeAnnotation: method.returnType });
      return [
        ['design:type', 'Function'],
        ['design:paramtypes', this.#parameterTypes(method, scope)],
        [
          'design:returntype',
          returned === null ? (method.async ? 'Promise' : VOID) : this.#runtimeType(returned, scope),
        ],
      ];
    }
    const other = members.find(
      (each) => each !== member && each.type === 'MethodDefinition' && isAccessorPair(each, member),
    );
    const [getter, setter] = member.kind === 'get' ? [member, other] : [other, member];
    const [parameter] = parametersOf(setter?.value ?? null);
    const getterType = getter?.value?.returnType ?? null;
    const setterType = parameter === undefined ? null : annotationOfParameter(parameter);
    return [
      ['design:type', this.#runtimeType(setterType ?? getterType?.typeAnnotation ?? null, scope)],
      ['design:paramtypes', setter === undefined ? '[]' : this.#parameterTypes(setter.value as TsNode, scope)],
    ];
  }

  /** Metadata of a class: the types of its constructor's parameters. */
  classMetadata(node: TsNode, scope: TsScope): [name: string, value: string][] {
    const constructor = bodyStatements(node.body as TsNode).find(
      (member) => member.kind === 'constructor' && member.value?.body != null,
    );
    if (constructor === undefined) return [];
    return [['design:paramtypes', this.#parameterTypes(constructor.value as TsNode, scope)]];
  }

  #parameterTypes(method: TsNode, scope: TsScope): string {
    return `[${parametersOf(method)
      .map((parameter) => {
        const type = annotationOfParameter(parameter);
        return this.#runtimeType(parameter.type === 'RestElement' ? restElementType(type) : type, scope);
      })
      .join(', ')}]`;
  }

  #runtimeType(type: TsNode | null, scope: TsScope): RuntimeType {
    if (type === null) return OBJECT;
    const keyword = KEYWORD_TYPES[type.type];
    if (keyword !== undefined) return keyword;
    switch (type.type) {
      case 'TSParenthesizedType':
        return this.#runtimeType(type.typeAnnotation, scope);
      case 'TSTypePredicate':
        return type.asserts ? VOID : 'Boolean';
      case 'TSTypeOperator':
        return type.operator === 'readonly' ? this.#runtimeType(type.typeAnnotation, scope) : OBJECT;
      case 'TSLiteralType':
        return literalType(type.literal);
      case 'TSUnionType':
        return this.#unionType(type.types, false, scope);
      case 'TSIntersectionType':
        return this.#unionType(type.types, true, scope);
      case 'TSConditionalType':
        return this.#unionType([type.trueType, type.falseType], false, scope);
      case 'TSTypeReference':
        return this.#referencedType(type.typeName, scope);
      default:
        return OBJECT;
    }
  }

  #unionType(types: readonly TsNode[], isIntersection: boolean, scope: TsScope): RuntimeType {
    let found: RuntimeType | undefined;
    for (const each of types) {
      let type = each;
      while (type.type === 'TSParenthesizedType') type = type.typeAnnotation as TsNode;
      if (type.type === 'TSNeverKeyword') {
        if (isIntersection) return VOID;
        continue;
      }
      if (type.type === 'TSUnknownKeyword') {
        if (!isIntersection) return OBJECT;
        continue;
      }
      if (type.type === 'TSAnyKeyword') return OBJECT;
      const isNothing = type.type === 'TSNullKeyword' || type.type === 'TSUndefinedKeyword';
      if (isNothing && !this.#strictNullChecks) continue;
      const serialized = this.#runtimeType(type, scope);
      if (serialized === OBJECT) return OBJECT;
      if (found !== undefined && found !== serialized) return OBJECT;
      found = serialized;
    }
    return found ?? VOID;
  }

  #referencedType(name: TsNode, scope: TsScope): RuntimeType {
    if (name.type === 'TSQualifiedName') return this.#qualifiedType(name, scope);
    const declared = scope.resolveType(name.name);
    if (declared !== undefined) {
      const { specifier, statement } = this.#scopes.imports.get(name.name) ?? {};
      if (specifier !== declared || statement === undefined)
        return this.#declaredType(declared, this.#valueCode(name, scope), scope);
      return this.#importedType(name.name, specifier, statement, scope);
    }
    // All other array types of the standard library have a constructor of their name.
    if (name.name === 'ReadonlyArray') return 'Array';
    return functionOrObject(this.#valueCode(name, scope));
  }

  #valueCode(name: TsNode, scope: TsScope): string {
    const block = scope.resolve(name.name)?.block;
    return block === null || block === undefined ? name.name : `${block.parameter}.${name.name}`;
  }

  #importedType(name: string, specifier: TsNode, statement: TsNode, scope: TsScope): RuntimeType {
    if (statement.importKind === 'type' || specifier.importKind === 'type') return OBJECT;
    const isNamespace = specifier.type === 'ImportNamespaceSpecifier';
    if (isNamespace || (scope.resolve(name)?.useCount ?? 0) > 0) return functionOrObject(name);
    const member = specifier.type === 'ImportDefaultSpecifier' ? 'default' : importedName(specifier.imported);
    return functionOrObject(`${this.#namespaceOf(statement)}[${JSON.stringify(member)}]`, false);
  }

  #namespaceOf(statement: TsNode): string {
    let name = this.namespaces.get(statement);
    if (name === undefined) this.namespaces.set(statement, (name = this.#scopes.freshName('types_1')));
    return name;
  }

  #qualifiedType(name: TsNode, scope: TsScope): RuntimeType {
    const parts: string[] = [];
    let first = name;
    for (; first.type === 'TSQualifiedName'; first = first.left) parts.unshift(first.right.name);
    const { specifier, statement } = this.#scopes.imports.get(first.name) ?? {};
    if (specifier !== undefined && statement !== undefined) {
      if (statement.importKind === 'type' || specifier.importKind === 'type') return OBJECT;
      if ((scope.resolve(first.name)?.useCount ?? 0) === 0 && specifier.type !== 'ImportNamespaceSpecifier') {
        const member = specifier.type === 'ImportDefaultSpecifier' ? 'default' : importedName(specifier.imported);
        return functionOrObject(
          `${this.#namespaceOf(statement)}[${JSON.stringify(member)}]?.${parts.join('?.')}`,
          false,
        );
      }
    }
    const path = [this.#valueCode(first, scope), ...parts];
    let container = scope.resolveContainer(first.name);
    for (const part of parts.slice(0, -1)) container = container?.containers.get(part);
    const declared = container?.types.get(parts.at(-1) ?? '');
    if (declared !== undefined) return this.#declaredType(declared, path.join('.'), scope);
    return functionOrObject(path.join('?.'), true, path[0]);
  }

  /** Run-time type for a type that the file itself declares. */
  #declaredType(node: TsNode, value: string, scope: TsScope): RuntimeType {
    switch (node.type) {
      case 'ClassDeclaration':
        return node.declare === true ? functionOrObject(value) : value;
      case 'TSEnumDeclaration':
        return enumType(node);
      case 'TSTypeAliasDeclaration':
        return this.#aliasedType(node.typeAnnotation, scope, new Set([node]));
      case 'TSTypeParameter':
        return node.constraint === null ? OBJECT : this.#aliasedType(node.constraint, scope, new Set([node]));
      default:
        return OBJECT;
    }
  }

  /** Run-time type for an aliased type. The alias itself has no constructor. */
  #aliasedType(type: TsNode | null, scope: TsScope, seen: Set<TsNode>): RuntimeType {
    if (type === null) return OBJECT;
    if (type.type === 'TSParenthesizedType') return this.#aliasedType(type.typeAnnotation, scope, seen);
    if (type.type === 'TSUnionType') {
      const kinds = new Set(
        type.types
          .filter(
            (each) => this.#strictNullChecks || (each.type !== 'TSNullKeyword' && each.type !== 'TSUndefinedKeyword'),
          )
          .map((each) => this.#aliasedType(each, scope, seen)),
      );
      const [only] = kinds;
      return kinds.size === 1 && only !== 'Function' && only !== 'Array' && only !== undefined ? only : OBJECT;
    }
    if (type.type === 'TSTypeReference') {
      const name = type.typeName;
      if (name.type !== 'Identifier') return OBJECT;
      const declared = scope.resolveType(name.name);
      if (declared === undefined) {
        return name.name === 'Array' || name.name === 'ReadonlyArray'
          ? 'Array'
          : name.name === 'Promise'
            ? 'Promise'
            : OBJECT;
      }
      if (seen.has(declared)) return OBJECT;
      seen.add(declared);
      if (declared.type === 'TSEnumDeclaration') return enumType(declared);
      if (declared.type === 'TSTypeAliasDeclaration') return this.#aliasedType(declared.typeAnnotation, scope, seen);
      if (declared.type === 'TSTypeParameter') return this.#aliasedType(declared.constraint, scope, seen);
      return OBJECT;
    }
    if (type.type === 'TSIntersectionType' || type.type === 'TSConditionalType') return OBJECT;
    if (type.type === 'TSConstructorType') return OBJECT;
    return this.#runtimeType(type, scope);
  }
}

function functionOrObject(value: string, isGuarded = true, first = value): RuntimeType {
  const test = `typeof ${value} === "function" ? ${value} : Object`;
  return isGuarded && first !== value ? `typeof ${first} !== "undefined" && ${test}` : test;
}

function enumType({ body }: TsNode): RuntimeType {
  const kinds = new Set(
    (body as TsNode).members.map(({ initializer }) =>
      initializer !== null && isStringValue(initializer) ? 'String' : 'Number',
    ),
  );
  const [only] = kinds;
  return kinds.size === 1 && only !== undefined ? only : kinds.size === 0 ? 'Number' : OBJECT;
}

function isStringValue(value: TsNode): boolean {
  return value.type === 'TemplateLiteral' || (value.type === 'Literal' && typeof (value.value as unknown) === 'string');
}

function literalType(literal: TsNode): RuntimeType {
  if (literal.type === 'TemplateLiteral') return 'String';
  const value: unknown = literal.type === 'UnaryExpression' ? literal.argument.value : literal.value;
  if ('bigint' in literal || (literal.type === 'UnaryExpression' && 'bigint' in literal.argument)) return 'BigInt';
  switch (typeof value) {
    case 'string':
      return 'String';
    case 'number':
      return 'Number';
    case 'boolean':
      return 'Boolean';
    default:
      return VOID;
  }
}

function annotationOf(node: TsNode): TsNode | null {
  return node.typeAnnotation?.typeAnnotation ?? null;
}

function importedName(imported: TsNode): string {
  return imported.name ?? String(imported.value);
}

/** Parameters of a method, except `this`. */
export function parametersOf(method: TsNode | null): TsNode[] {
  return (method?.params ?? []).filter((each, i) => i > 0 || each.type !== 'Identifier' || each.name !== 'this');
}

function annotationOfParameter(parameter: TsNode): TsNode | null {
  switch (parameter.type) {
    case 'TSParameterProperty':
      return annotationOfParameter(parameter.parameter);
    case 'AssignmentPattern':
      return annotationOf(parameter) ?? annotationOf(parameter.left);
    default:
      return annotationOf(parameter);
  }
}

/** Element type of the array type of a rest parameter. */
function restElementType(type: TsNode | null): TsNode | null {
  if (type?.type === 'TSArrayType') return type.elementType;
  const typeArguments = type?.type === 'TSTypeReference' ? (type.typeArguments?.params ?? []) : [];
  return typeArguments.length === 1 ? (typeArguments[0] ?? null) : null;
}

export function isAccessorPair(a: TsNode, b: TsNode): boolean {
  const accessors = (a.kind === 'get' && b.kind === 'set') || (a.kind === 'set' && b.kind === 'get');
  return accessors && a.static === b.static && keyText(a) !== null && keyText(a) === keyText(b);
}

/** Name of a property; null if only running the code could determine it. */
export function keyText({ key, computed }: TsNode): string | null {
  if (key.type === 'Literal') return String(key.value);
  if (!computed && (key.type === 'Identifier' || key.type === 'PrivateIdentifier')) return key.name;
  return null;
}
