// Decorators as `experimentalDecorators` has them: applied after the class is made, instance members first, then static ones,
// then the class with its constructor's parameters. The calls go to core's `decorate`, which does what tslib's does.

import { type Code, join, Mark, Span } from './code.ts';
import type { Edits } from './edits.ts';
import { TransformError } from './errors.ts';
import { placeOf } from './lines.ts';
import { classKeyword } from './standard-decorators.ts';
import { isPair, keyText, parametersOf, TypeMetadata } from './type-metadata.ts';
import { type ClassRecord, hasDecorators, type TypeScriptScopes } from './typescript-scopes.ts';
import { listOf, type TsNode, valuesIn } from './typescript-tree.ts';

export interface DecoratorOptions {
  readonly source: string;
  readonly path: string;
  /** `false`: no metadata is emitted. */
  readonly metadata: boolean;
  readonly strictNullChecks: boolean;
}

/** Called as lowered code calls it. */
const HELPERS = 'babelHelpers';

export function lowerLegacyDecorators(scopes: TypeScriptScopes, edits: Edits, options: DecoratorOptions): void {
  const metadata = new TypeMetadata(scopes, options.strictNullChecks);
  const emitter = new DecoratorEmitter(scopes, edits, options, options.metadata ? metadata : null);
  for (const each of scopes.classes) emitter.lower(each);
  for (const [statement, name] of metadata.namespaces) {
    const { start, end } = statement.source as TsNode;
    edits.insert(statement.end, [`;import * as ${name} from `, options.source.slice(start, end), ';']);
  }
}

class DecoratorEmitter {
  readonly #scopes: TypeScriptScopes;
  readonly #edits: Edits;
  readonly #options: DecoratorOptions;
  readonly #metadata: TypeMetadata | null;

  constructor(scopes: TypeScriptScopes, edits: Edits, options: DecoratorOptions, metadata: TypeMetadata | null) {
    this.#scopes = scopes;
    this.#edits = edits;
    this.#options = options;
    this.#metadata = metadata;
  }

  lower(record: ClassRecord): void {
    const { node, statement, from } = record;
    if (node.type === 'ClassExpression') this.#refuse(node, 'Decorators are not valid in a class expression');
    const edits = this.#edits;
    const body = node.body as TsNode;
    const members = listOf(body);
    const constructor = members.find((each) => each.kind === 'constructor' && each.value?.body != null);
    const ownDecorators = node.decorators ?? [];
    const decoratesClass = ownDecorators.length > 0 || hasDecorators(constructor?.value?.params ?? []);
    const name = node.id?.name ?? this.#scopes.fresh('default_1');
    const alias = decoratesClass ? this.#alias(record, name) : null;

    const memberCalls = [...this.#members(record, name, false), ...this.#members(record, name, true)];
    this.#removeDecorators(node);
    for (const each of members) if (hasDecorators([each])) this.#keepKey(each);
    const before = alias === null ? '' : `let ${alias}; `;
    this.#header(record, name, before, decoratesClass);
    if (alias !== null) edits.insert(body.start + 1, ` static { ${alias} = this; }`);

    // Only code inside the class may use private names.
    const inside = this.#usesPrivateNames(node);
    if (inside) edits.insert(body.end - 1, () => [' static {', memberCalls, '} ']);
    edits.insert(Math.max(node.end, statement.end), () => {
      const code: Code[] = decoratesClass ? [';'] : [];
      if (from !== null) code.push(` ${from.parameter}.${name} = ${name};`);
      if (!inside) code.push(memberCalls);
      if (decoratesClass) {
        const { start } = ownDecorators[0] ?? node;
        code.push(
          new Mark(start),
          from === null ? '' : `${from.parameter}.${name} = `,
          `${name} = ${alias === null ? '' : `${alias} = `}${HELPERS}.decorate([`,
          this.#list(ownDecorators, constructor?.value ?? null, this.#metadata?.ofClass(node, record.scope) ?? []),
          `], ${name});`,
        );
        if (statement.type === 'ExportDefaultDeclaration') code.push(` export default ${name};`);
        else if (statement !== node && from === null) code.push(` export { ${name} };`);
      }
      return code;
    });
  }

  /** Replaces what stands before the class's name; removes decorators among it. */
  #header({ node, statement, from }: ClassRecord, name: string, before: string, decoratesClass: boolean): void {
    const edits = this.#edits;
    const decorators = node.decorators ?? [];
    const start = Math.min(statement.start, decorators[0]?.start ?? node.start);
    const classAt = classKeyword(
      this.#options.source,
      Math.max(statement.start, node.start, decorators.at(-1)?.end ?? 0),
    );
    const isDefault = statement.type === 'ExportDefaultDeclaration';
    const exported = statement === node || from !== null ? '' : isDefault ? 'export default ' : 'export ';
    const words = decoratesClass ? `let ${name} = ` : `${exported}${this.#isAbstract(node) ? 'abstract ' : ''}`;
    edits.replace(start, classAt, [before, words, new Span(classAt, classAt)]);
    if (node.id === null && !decoratesClass) edits.insert(classAt + 'class'.length, ` ${name}`);
    if (decoratesClass) this.#removeAbstract(node);
  }

  #isAbstract(node: TsNode): boolean {
    return (node as unknown as { abstract?: boolean }).abstract === true;
  }

  /** A class expression cannot be abstract; nothing of such members is left at run time. */
  #removeAbstract(node: TsNode): void {
    if (!this.#isAbstract(node)) return;
    for (const { type, start, end } of listOf(node.body as TsNode))
      if (type.startsWith('TSAbstract')) this.#edits.replace(start, end);
  }

  /** The name by which the class means itself: what its decorators made of it, not what they were given. */
  #alias({ node }: ClassRecord, name: string): string | null {
    const { start, end } = node.body as TsNode;
    let alias: string | null = null;
    for (const { node: reference, scope, shorthand } of this.#scopes.references) {
      if (reference.name !== name || reference.start < start || reference.end > end) continue;
      if (scope.resolve(name)?.node !== node) continue;
      alias ??= this.#scopes.fresh(`${name}_1`);
      this.#edits.replace(reference.start, reference.end, [
        shorthand ? `${name}: ` : '',
        new Span(reference.start, reference.start),
        alias,
      ]);
    }
    return alias;
  }

  #removeDecorators(node: TsNode): void {
    for (const member of listOf(node.body as TsNode)) {
      const parameters = member.value?.params ?? [];
      for (const each of [member, ...parameters])
        for (const { start, end } of each.decorators ?? []) this.#edits.replace(start, end);
    }
  }

  *#members({ node, scope }: ClassRecord, name: string, isStatic: boolean): Iterable<Code> {
    const members = listOf(node.body as TsNode);
    for (const member of members) {
      if (member.kind === 'constructor' || member.static !== isStatic) continue;
      const method = member.value?.params === undefined ? null : member.value;
      if (method !== null && method.body === null) continue;
      const pair = members.find((each) => isPair(each, member));
      // The first accessor of a pair that has decorators stands for both.
      if (pair !== undefined && (pair.decorators ?? []).length > 0 && pair.start < member.start) continue;
      const setter = pair !== undefined && member.kind === 'get' ? pair.value : method;
      const decorators = member.decorators ?? [];
      if (decorators.length === 0 && !hasDecorators(setter?.params ?? [])) continue;
      if (member.key.type === 'PrivateIdentifier') this.#refuse(member, 'Decorators are not valid on private names');
      const isField = member.type === 'PropertyDefinition' || member.type === 'TSAbstractPropertyDefinition';
      yield [
        ' ',
        new Mark((decorators[0] ?? member).start),
        `${HELPERS}.decorate([`,
        this.#list(decorators, setter, this.#metadata?.ofMember(member, members, scope) ?? []),
        `], ${name}${isStatic ? '' : '.prototype'}, `,
        this.#key(member),
        isField ? ', void 0);' : ', null);',
      ];
    }
  }

  #list(decorators: readonly TsNode[], method: TsNode | null, metadata: readonly [string, string][]): Code {
    const items: Code[] = decorators.map(({ expression: { start, end } }) => this.#edits.render(start, end));
    for (const [i, parameter] of parametersOf(method).entries()) {
      for (const { start, expression } of parameter.decorators ?? []) {
        const value = this.#edits.render(expression.start, expression.end);
        items.push([new Mark(start), `${HELPERS}.decorateParam(${i}, `, value, ')']);
      }
    }
    for (const [name, value] of metadata) items.push(`${HELPERS}.decorateMetadata("${name}", ${value})`);
    return join(items, ', ');
  }

  #key(member: TsNode): Code {
    const kept = this.#scopes.keyOf(member);
    if (kept !== null) return kept;
    const { key } = member;
    return key.type === 'Identifier' ? JSON.stringify(keyText(member)) : new Span(key.start, key.end);
  }

  /** Has the class keep a computed key. */
  #keepKey(member: TsNode): void {
    const name = this.#scopes.keyOf(member);
    if (name !== null && member.type !== 'AccessorProperty') this.#edits.insert(member.key.start, `${name} = `);
  }

  #usesPrivateNames(node: TsNode): boolean {
    const decorators = listOf(node.body as TsNode).flatMap((member) => [
      ...(member.decorators ?? []),
      ...(member.value?.params ?? []).flatMap((parameter) => parameter.decorators ?? []),
    ]);
    return decorators.some(hasPrivateName);
  }

  #refuse(node: TsNode, message: string): never {
    const { path, source } = this.#options;
    throw new TransformError('TT_SYNTAX', message, { path, ...placeOf(source, node.start) });
  }
}

function hasPrivateName(node: TsNode): boolean {
  if (node.type === 'PrivateIdentifier') return true;
  for (const child of valuesIn(node)) if (hasPrivateName(child)) return true;
  return false;
}
