// What `emitDecoratorMetadata` says of a declaration: `design:type`, `design:paramtypes`, `design:returntype`.
//
// A type becomes the run-time value nearest to it by tsc's rules for a file compiled alone. An imported name is asked at run
// time whether it is a function; if the file uses it nowhere else, it is read as a member of its module's namespace, so
// that a name that turns out to be a type is no error.

import type { TsScope, TypeScriptScopes } from './typescript-scopes.ts';
import { listOf, type TsNode } from './typescript-tree.ts';

/** Expression text, and the rank that unions compare. */
type Serialized = string;

const OBJECT = 'Object';
const VOID = 'void 0';

const KEYWORDS: Readonly<Record<string, Serialized>> = {
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
  /** Imported names that only metadata reads, by the namespace to read them from. */
  readonly namespaces: Map<TsNode, string> = new Map();

  constructor(scopes: TypeScriptScopes, strictNullChecks: boolean) {
    this.#scopes = scopes;
    this.#strictNullChecks = strictNullChecks;
  }

  /** Of a method, accessor or field. */
  ofMember(member: TsNode, members: readonly TsNode[], scope: TsScope): [name: string, value: string][] {
    if (member.type !== 'MethodDefinition') {
      return [['design:type', this.#type(annotation(member), scope)]];
    }
    const method = member.value as TsNode;
    if (member.kind === 'method') {
      const returned = annotation({ ...method, typeAnnotation: method.returnType });
      return [
        ['design:type', 'Function'],
        ['design:paramtypes', this.#parameters(method, scope)],
        ['design:returntype', returned === null ? (method.async ? 'Promise' : VOID) : this.#type(returned, scope)],
      ];
    }
    const other = members.find((each) => each !== member && each.type === 'MethodDefinition' && isPair(each, member));
    const [getter, setter] = member.kind === 'get' ? [member, other] : [other, member];
    const [parameter] = parametersOf(setter?.value ?? null);
    const got = getter?.value?.returnType ?? null;
    const set = parameter === undefined ? null : annotationOfParameter(parameter);
    return [
      ['design:type', this.#type(set ?? got?.typeAnnotation ?? null, scope)],
      ['design:paramtypes', setter === undefined ? '[]' : this.#parameters(setter.value as TsNode, scope)],
    ];
  }

  /** Of a class: the parameters of its constructor. */
  ofClass(node: TsNode, scope: TsScope): [name: string, value: string][] {
    const constructor = listOf(node.body as TsNode).find(
      (member) => member.kind === 'constructor' && member.value?.body != null,
    );
    if (constructor === undefined) return [];
    return [['design:paramtypes', this.#parameters(constructor.value as TsNode, scope)]];
  }

  #parameters(method: TsNode, scope: TsScope): string {
    return `[${parametersOf(method)
      .map((parameter) => {
        const type = annotationOfParameter(parameter);
        return this.#type(parameter.type === 'RestElement' ? elementOf(type) : type, scope);
      })
      .join(', ')}]`;
  }

  #type(type: TsNode | null, scope: TsScope): Serialized {
    if (type === null) return OBJECT;
    const keyword = KEYWORDS[type.type];
    if (keyword !== undefined) return keyword;
    switch (type.type) {
      case 'TSParenthesizedType':
        return this.#type(type.typeAnnotation, scope);
      case 'TSTypePredicate':
        return type.asserts ? VOID : 'Boolean';
      case 'TSTypeOperator':
        return type.operator === 'readonly' ? this.#type(type.typeAnnotation, scope) : OBJECT;
      case 'TSLiteralType':
        return literalType(type.literal);
      case 'TSUnionType':
        return this.#union(type.types, false, scope);
      case 'TSIntersectionType':
        return this.#union(type.types, true, scope);
      case 'TSConditionalType':
        return this.#union([type.trueType, type.falseType], false, scope);
      case 'TSTypeReference':
        return this.#reference(type.typeName, scope);
      default:
        return OBJECT;
    }
  }

  #union(types: readonly TsNode[], isIntersection: boolean, scope: TsScope): Serialized {
    let found: Serialized | undefined;
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
      const serialized = this.#type(type, scope);
      if (serialized === OBJECT) return OBJECT;
      if (found !== undefined && found !== serialized) return OBJECT;
      found = serialized;
    }
    return found ?? VOID;
  }

  #reference(name: TsNode, scope: TsScope): Serialized {
    if (name.type === 'TSQualifiedName') return this.#qualified(name, scope);
    const declared = scope.resolveType(name.name);
    if (declared !== undefined) {
      const { specifier, statement } = this.#scopes.imports.get(name.name) ?? {};
      if (specifier !== declared || statement === undefined)
        return this.#declared(declared, this.#valueOf(name, scope), scope);
      return this.#imported(name.name, specifier, statement, scope);
    }
    // Of the standard library: the only array type without a constructor of its name.
    if (name.name === 'ReadonlyArray') return 'Array';
    return ifFunction(this.#valueOf(name, scope));
  }

  #valueOf(name: TsNode, scope: TsScope): string {
    const block = scope.resolve(name.name)?.block;
    return block === null || block === undefined ? name.name : `${block.parameter}.${name.name}`;
  }

  #imported(name: string, specifier: TsNode, statement: TsNode, scope: TsScope): Serialized {
    if (statement.importKind === 'type' || specifier.importKind === 'type') return OBJECT;
    const isNamespace = specifier.type === 'ImportNamespaceSpecifier';
    if (isNamespace || (scope.resolve(name)?.uses ?? 0) > 0) return ifFunction(name);
    const member = specifier.type === 'ImportDefaultSpecifier' ? 'default' : nameOf(specifier.imported);
    return ifFunction(`${this.#namespaceOf(statement)}[${JSON.stringify(member)}]`, false);
  }

  #namespaceOf(statement: TsNode): string {
    let name = this.namespaces.get(statement);
    if (name === undefined) this.namespaces.set(statement, (name = this.#scopes.fresh('types_1')));
    return name;
  }

  #qualified(name: TsNode, scope: TsScope): Serialized {
    const parts: string[] = [];
    let first = name;
    for (; first.type === 'TSQualifiedName'; first = first.left) parts.unshift(first.right.name);
    const { specifier, statement } = this.#scopes.imports.get(first.name) ?? {};
    if (specifier !== undefined && statement !== undefined) {
      if (statement.importKind === 'type' || specifier.importKind === 'type') return OBJECT;
      if ((scope.resolve(first.name)?.uses ?? 0) === 0 && specifier.type !== 'ImportNamespaceSpecifier') {
        const member = specifier.type === 'ImportDefaultSpecifier' ? 'default' : nameOf(specifier.imported);
        return ifFunction(`${this.#namespaceOf(statement)}[${JSON.stringify(member)}]?.${parts.join('?.')}`, false);
      }
    }
    const path = [this.#valueOf(first, scope), ...parts];
    let container = scope.resolveContainer(first.name);
    for (const part of parts.slice(0, -1)) container = container?.containers.get(part);
    const declared = container?.types.get(parts.at(-1) ?? '');
    if (declared !== undefined) return this.#declared(declared, path.join('.'), scope);
    return ifFunction(path.join('?.'), true, path[0]);
  }

  /** A type that the file itself declares. */
  #declared(node: TsNode, value: string, scope: TsScope): Serialized {
    switch (node.type) {
      case 'ClassDeclaration':
        return node.declare === true ? ifFunction(value) : value;
      case 'TSEnumDeclaration':
        return enumType(node);
      case 'TSTypeAliasDeclaration':
        return this.#alias(node.typeAnnotation, scope, new Set([node]));
      case 'TSTypeParameter':
        return node.constraint === null ? OBJECT : this.#alias(node.constraint, scope, new Set([node]));
      default:
        return OBJECT;
    }
  }

  /** What an alias stands for counts as a type: it has no constructor to name. */
  #alias(type: TsNode | null, scope: TsScope, seen: Set<TsNode>): Serialized {
    if (type === null) return OBJECT;
    if (type.type === 'TSParenthesizedType') return this.#alias(type.typeAnnotation, scope, seen);
    if (type.type === 'TSUnionType') {
      const kinds = new Set(
        type.types
          .filter(
            (each) => this.#strictNullChecks || (each.type !== 'TSNullKeyword' && each.type !== 'TSUndefinedKeyword'),
          )
          .map((each) => this.#alias(each, scope, seen)),
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
      if (declared.type === 'TSTypeAliasDeclaration') return this.#alias(declared.typeAnnotation, scope, seen);
      if (declared.type === 'TSTypeParameter') return this.#alias(declared.constraint, scope, seen);
      return OBJECT;
    }
    if (type.type === 'TSIntersectionType' || type.type === 'TSConditionalType') return OBJECT;
    if (type.type === 'TSConstructorType') return OBJECT;
    return this.#type(type, scope);
  }
}

function ifFunction(value: string, guarded = true, first = value): Serialized {
  const test = `typeof ${value} === "function" ? ${value} : Object`;
  return guarded && first !== value ? `typeof ${first} !== "undefined" && ${test}` : test;
}

function enumType({ body }: TsNode): Serialized {
  const kinds = new Set(
    (body as TsNode).members.map(({ initializer }) =>
      initializer !== null && isText(initializer) ? 'String' : 'Number',
    ),
  );
  const [only] = kinds;
  return kinds.size === 1 && only !== undefined ? only : kinds.size === 0 ? 'Number' : OBJECT;
}

function isText(value: TsNode): boolean {
  return value.type === 'TemplateLiteral' || (value.type === 'Literal' && typeof (value.value as unknown) === 'string');
}

function literalType(literal: TsNode): Serialized {
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

function annotation(node: TsNode): TsNode | null {
  return node.typeAnnotation?.typeAnnotation ?? null;
}

function nameOf(imported: TsNode): string {
  return imported.name ?? String(imported.value);
}

/** Without `this`. */
export function parametersOf(method: TsNode | null): TsNode[] {
  return (method?.params ?? []).filter((each, i) => i > 0 || each.type !== 'Identifier' || each.name !== 'this');
}

function annotationOfParameter(parameter: TsNode): TsNode | null {
  switch (parameter.type) {
    case 'TSParameterProperty':
      return annotationOfParameter(parameter.parameter);
    case 'AssignmentPattern':
      return annotation(parameter) ?? annotation(parameter.left);
    default:
      return annotation(parameter);
  }
}

/** Of a rest parameter's type. */
function elementOf(type: TsNode | null): TsNode | null {
  if (type?.type === 'TSArrayType') return type.elementType;
  const given = type?.type === 'TSTypeReference' ? (type.typeArguments?.params ?? []) : [];
  return given.length === 1 ? (given[0] ?? null) : null;
}

export function isPair(a: TsNode, b: TsNode): boolean {
  const accessors = (a.kind === 'get' && b.kind === 'set') || (a.kind === 'set' && b.kind === 'get');
  return accessors && a.static === b.static && keyText(a) !== null && keyText(a) === keyText(b);
}

/** The property name if it can be read from the text. */
export function keyText({ key, computed }: TsNode): string | null {
  if (key.type === 'Literal') return String(key.value);
  if (!computed && (key.type === 'Identifier' || key.type === 'PrivateIdentifier')) return key.name;
  return null;
}
