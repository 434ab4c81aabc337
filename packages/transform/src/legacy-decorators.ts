// Decorators of `experimentalDecorators`, applied after the class is made: to instance members, to static members, then
// to the class with its constructor's parameters. The code calls core's `decorate`, which works like tslib's.

import { type Code, join, MappingPoint, Span } from './code.ts';
import type { SourceEdits } from './source-edits.ts';
import { TransformError } from './transform-error.ts';
import { locationAt } from './lines.ts';
import { classKeywordOffset } from './standard-decorators.ts';
import { isAccessorPair, keyText, parametersOf, TypeMetadata } from './type-metadata.ts';
import { type ClassRecord, hasDecorators, type TypeScriptScopes } from './typescript-scopes.ts';
import { bodyStatements, type TsNode, runtimeChildren } from './typescript-tree.ts';

export interface LegacyDecoratorOptions {
  readonly source: string;
  readonly path: string;
  /** Whether decorators also receive type metadata (`emitDecoratorMetadata`). */
  readonly emitsMetadata: boolean;
  readonly strictNullChecks: boolean;
}

/** Global object with the helpers of lowered code. */
const HELPERS = 'babelHelpers';

export function lowerLegacyDecorators(
  scopes: TypeScriptScopes,
  edits: SourceEdits,
  options: LegacyDecoratorOptions,
): void {
  const metadata = new TypeMetadata(scopes, options.strictNullChecks);
  const emitter = new LegacyDecorators(scopes, edits, options, options.emitsMetadata ? metadata : null);
  for (const each of scopes.classes) emitter.lower(each);
  for (const [statement, name] of metadata.namespaces) {
    const { start, end } = statement.source as TsNode;
    edits.insert(statement.end, [`;import * as ${name} from `, options.source.slice(start, end), ';']);
  }
}

class LegacyDecorators {
  readonly #scopes: TypeScriptScopes;
  readonly #edits: SourceEdits;
  readonly #options: LegacyDecoratorOptions;
  readonly #metadata: TypeMetadata | null;

  constructor(
    scopes: TypeScriptScopes,
    edits: SourceEdits,
    options: LegacyDecoratorOptions,
    metadata: TypeMetadata | null,
  ) {
    this.#scopes = scopes;
    this.#edits = edits;
    this.#options = options;
    this.#metadata = metadata;
  }

  lower(record: ClassRecord): void {
    const { node, statement, exportedFrom } = record;
    if (node.type === 'ClassExpression') this.#refuse(node, 'Decorators are not valid in a class expression');
    const edits = this.#edits;
    const body = node.body as TsNode;
    const members = bodyStatements(body);
    const constructor = members.find((each) => each.kind === 'constructor' && each.value?.body != null);
    const ownDecorators = node.decorators ?? [];
    const decoratesClass = ownDecorators.length > 0 || hasDecorators(constructor?.value?.params ?? []);
    const name = node.id?.name ?? this.#scopes.freshName('default_1');
    const alias = decoratesClass ? this.#replaceOwnName(record, name) : null;

    const memberCalls = [...this.#memberCalls(record, name, false), ...this.#memberCalls(record, name, true)];
    this.#removeDecorators(node);
    for (const each of members) if (hasDecorators([each])) this.#saveComputedKey(each);
    const prefix = alias === null ? '' : `let ${alias}; `;
    this.#rewriteHead(record, name, prefix, decoratesClass);
    if (alias !== null) edits.insert(body.start + 1, ` static { ${alias} = this; }`);

    // Code that uses private names must be inside the class.
    const isInsideClass = this.#usesPrivateNames(node);
    if (isInsideClass) edits.insert(body.end - 1, () => [' static {', memberCalls, '} ']);
    edits.insert(Math.max(node.end, statement.end), () => {
      const code: Code[] = decoratesClass ? [';'] : [];
      if (exportedFrom !== null) code.push(` ${exportedFrom.parameter}.${name} = ${name};`);
      if (!isInsideClass) code.push(memberCalls);
      if (decoratesClass) {
        const { start } = ownDecorators[0] ?? node;
        code.push(
          new MappingPoint(start),
          exportedFrom === null ? '' : `${exportedFrom.parameter}.${name} = `,
          `${name} = ${alias === null ? '' : `${alias} = `}${HELPERS}.decorate([`,
          this.#decoratorList(
            ownDecorators,
            constructor?.value ?? null,
            this.#metadata?.classMetadata(node, record.scope) ?? [],
          ),
          `], ${name});`,
        );
        if (statement.type === 'ExportDefaultDeclaration') code.push(` export default ${name};`);
        else if (statement !== node && exportedFrom === null) code.push(` export { ${name} };`);
      }
      return code;
    });
  }

  /** Replaces the code from the statement's start to `class`, which also removes the class's decorators. */
  #rewriteHead(
    { node, statement, exportedFrom }: ClassRecord,
    name: string,
    prefix: string,
    decoratesClass: boolean,
  ): void {
    const edits = this.#edits;
    const decorators = node.decorators ?? [];
    const start = Math.min(statement.start, decorators[0]?.start ?? node.start);
    const classAt = classKeywordOffset(
      this.#options.source,
      Math.max(statement.start, node.start, decorators.at(-1)?.end ?? 0),
    );
    const isDefault = statement.type === 'ExportDefaultDeclaration';
    const exported = statement === node || exportedFrom !== null ? '' : isDefault ? 'export default ' : 'export ';
    const keywords = decoratesClass ? `let ${name} = ` : `${exported}${this.#isAbstract(node) ? 'abstract ' : ''}`;
    edits.replace(start, classAt, [prefix, keywords, new Span(classAt, classAt)]);
    if (node.id === null && !decoratesClass) edits.insert(classAt + 'class'.length, ` ${name}`);
    if (decoratesClass) this.#removeAbstract(node);
  }

  #isAbstract(node: TsNode): boolean {
    return (node as unknown as { abstract?: boolean }).abstract === true;
  }

  /** Removes abstract members, which do not exist at run time. A class expression must not have any. */
  #removeAbstract(node: TsNode): void {
    if (!this.#isAbstract(node)) return;
    for (const { type, start, end } of bodyStatements(node.body as TsNode))
      if (type.startsWith('TSAbstract')) this.#edits.replace(start, end);
  }

  /** Replaces uses of the class's name inside the class by an alias, which refers to the decorated class. */
  #replaceOwnName({ node }: ClassRecord, name: string): string | null {
    const { start, end } = node.body as TsNode;
    let alias: string | null = null;
    for (const { node: reference, scope, isShorthand: shorthand } of this.#scopes.references) {
      if (reference.name !== name || reference.start < start || reference.end > end) continue;
      if (scope.resolve(name)?.node !== node) continue;
      alias ??= this.#scopes.freshName(`${name}_1`);
      this.#edits.replace(reference.start, reference.end, [
        shorthand ? `${name}: ` : '',
        new Span(reference.start, reference.start),
        alias,
      ]);
    }
    return alias;
  }

  #removeDecorators(node: TsNode): void {
    for (const member of bodyStatements(node.body as TsNode)) {
      const parameters = member.value?.params ?? [];
      for (const each of [member, ...parameters])
        for (const { start, end } of each.decorators ?? []) this.#edits.replace(start, end);
    }
  }

  *#memberCalls({ node, scope }: ClassRecord, name: string, isStatic: boolean): Iterable<Code> {
    const members = bodyStatements(node.body as TsNode);
    for (const member of members) {
      if (member.kind === 'constructor' || member.static !== isStatic) continue;
      const method = member.value?.params === undefined ? null : member.value;
      if (method !== null && method.body === null) continue;
      const pair = members.find((each) => isAccessorPair(each, member));
      // In a pair of accessors, the first decorated one covers both.
      if (pair !== undefined && (pair.decorators ?? []).length > 0 && pair.start < member.start) continue;
      const setter = pair !== undefined && member.kind === 'get' ? pair.value : method;
      const decorators = member.decorators ?? [];
      if (decorators.length === 0 && !hasDecorators(setter?.params ?? [])) continue;
      if (member.key.type === 'PrivateIdentifier') this.#refuse(member, 'Decorators are not valid on private names');
      const isField = member.type === 'PropertyDefinition' || member.type === 'TSAbstractPropertyDefinition';
      yield [
        ' ',
        new MappingPoint((decorators[0] ?? member).start),
        `${HELPERS}.decorate([`,
        this.#decoratorList(decorators, setter, this.#metadata?.memberMetadata(member, members, scope) ?? []),
        `], ${name}${isStatic ? '' : '.prototype'}, `,
        this.#keyCode(member),
        isField ? ', void 0);' : ', null);',
      ];
    }
  }

  #decoratorList(decorators: readonly TsNode[], method: TsNode | null, metadata: readonly [string, string][]): Code {
    const items: Code[] = decorators.map(({ expression: { start, end } }) => this.#edits.render(start, end));
    for (const [i, parameter] of parametersOf(method).entries()) {
      for (const { start, expression } of parameter.decorators ?? []) {
        const value = this.#edits.render(expression.start, expression.end);
        items.push([new MappingPoint(start), `${HELPERS}.decorateParam(${i}, `, value, ')']);
      }
    }
    for (const [name, value] of metadata) items.push(`${HELPERS}.decorateMetadata("${name}", ${value})`);
    return join(items, ', ');
  }

  #keyCode(member: TsNode): Code {
    const keyVariable = this.#scopes.keyVariable(member);
    if (keyVariable !== null) return keyVariable;
    const { key } = member;
    return key.type === 'Identifier' ? JSON.stringify(keyText(member)) : new Span(key.start, key.end);
  }

  /** Stores the value of a member's computed key in a variable, for the calls after the class. */
  #saveComputedKey(member: TsNode): void {
    const name = this.#scopes.keyVariable(member);
    if (name !== null && member.type !== 'AccessorProperty') this.#edits.insert(member.key.start, `${name} = `);
  }

  #usesPrivateNames(node: TsNode): boolean {
    const decorators = bodyStatements(node.body as TsNode).flatMap((member) => [
      ...(member.decorators ?? []),
      ...(member.value?.params ?? []).flatMap((parameter) => parameter.decorators ?? []),
    ]);
    return decorators.some(hasPrivateName);
  }

  #refuse(node: TsNode, message: string): never {
    const { path, source } = this.#options;
    throw new TransformError('TT_SYNTAX', message, { path, ...locationAt(source, node.start) });
  }
}

function hasPrivateName(node: TsNode): boolean {
  if (node.type === 'PrivateIdentifier') return true;
  for (const child of runtimeChildren(node)) if (hasPrivateName(child)) return true;
  return false;
}
