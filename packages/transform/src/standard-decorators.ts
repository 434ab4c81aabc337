// Standard decorators, which engines do not support yet. The code is that of tsc, except that one object for each class
// holds tsc's many variables. The helpers are core's, and work like tslib's. All decorators are evaluated in source
// order. They are then applied in this order: static and instance methods and accessors, static and instance fields,
// the class. Initialisers added with `addInitializer` run between the fields.

import { type Code, join, MappingPoint, Span } from './code.ts';
import type { SourceEdits } from './source-edits.ts';
import { TransformError } from './transform-error.ts';
import { locationAt } from './lines.ts';
import { type ClassRecord, hasDecorators, type TypeScriptScopes } from './typescript-scopes.ts';
import { bodyStatements, type TsNode, runtimeChildren } from './typescript-tree.ts';

const HELPERS = 'babelHelpers';

interface SourceFile {
  readonly source: string;
  readonly path: string;
}

/** A decorated member. The class's object has properties for it, whose names end in `index`. */
interface DecoratedMember {
  readonly member: TsNode;
  readonly index: number;
  readonly kind: 'method' | 'getter' | 'setter' | 'accessor' | 'field';
  readonly isPrivate: boolean;
}

export function lowerStandardDecorators(scopes: TypeScriptScopes, edits: SourceEdits, file: SourceFile): void {
  for (const record of scopes.classes) new StandardDecorators(scopes, edits, file, record).lower();
}

class StandardDecorators {
  readonly #scopes: TypeScriptScopes;
  readonly #edits: SourceEdits;
  readonly #file: SourceFile;
  readonly #record: ClassRecord;
  readonly #stateName: string;
  readonly #decoratedMembers: readonly DecoratedMember[];
  readonly #isClassDecorated: boolean;

  constructor(scopes: TypeScriptScopes, edits: SourceEdits, file: SourceFile, record: ClassRecord) {
    this.#scopes = scopes;
    this.#edits = edits;
    this.#file = file;
    this.#record = record;
    this.#stateName = scopes.freshName('decorated_1');
    this.#isClassDecorated = hasDecorators([record.node]);
    this.#decoratedMembers = bodyStatements(record.node.body as TsNode)
      .filter((member) => hasDecorators([member]) && !isAbstract(member))
      .map((member, index) => ({
        member,
        index,
        kind: decoratedKind(member),
        isPrivate: member.key.type === 'PrivateIdentifier',
      }));
  }

  lower(): void {
    const { node } = this.#record;
    const members = bodyStatements(node.body as TsNode);
    for (const member of members) {
      // The class becomes a class expression, which must have no abstract members.
      if (isAbstract(member)) this.#edits.replace(member.start, member.end);
      const parameter = (member.value?.params ?? []).find((each) => hasDecorators([each]));
      if (parameter !== undefined) {
        const { path, source } = this.#file;
        const message = 'Parameter decorators need "experimentalDecorators": true in tsconfig.json';
        throw new TransformError('TT_SYNTAX', message, {
          path,
          ...locationAt(source, (parameter.decorators?.[0] ?? parameter).start),
        });
      }
    }
    const outerThis = members.flatMap((member) => member.decorators ?? []).flatMap(thisExpressionsIn);
    for (const { start, end } of outerThis) this.#edits.replace(start, end, `${this.#stateName}.outer`);
    if (this.#isClassDecorated) this.#replaceStaticThis(members);
    this.#wrapClass(this.#emitEvaluation(members), outerThis.length > 0);
    this.#runInitializers(members, false);
    this.#runInitializers(members, true);
    for (const each of this.#decoratedMembers) if (each.isPrivate) this.#rewritePrivateMember(each);
  }

  /** Replaces `this` in static initialisers with the decorated class. */
  #replaceStaticThis(members: readonly TsNode[]): void {
    for (const member of members) {
      const isField = member.type === 'PropertyDefinition' || member.type === 'AccessorProperty';
      const values =
        member.type === 'StaticBlock'
          ? [member]
          : isField && member.static && member.value !== null
            ? [member.value]
            : [];
      for (const { start, end } of values.flatMap(thisExpressionsIn))
        this.#edits.replace(start, end, `${this.#stateName}.this`);
    }
  }

  /** Evaluates decorators with the next computed key. Returns code for the rest, which runs before the class. */
  #emitEvaluation(members: readonly TsNode[]): Code[] {
    const edits = this.#edits;
    const state = this.#stateName;
    let pending: Code[] = [];
    for (const member of members) {
      const decorated = this.#decoratedMembers.find((each) => each.member === member);
      if (decorated !== undefined) {
        pending.push([`${state}.d${decorated.index} = `, this.#decoratorList(member)]);
        for (const { start, end } of member.decorators ?? []) edits.replace(start, end);
      }
      if (!member.computed || member.type.startsWith('TS')) continue;
      const evaluatedHere = pending;
      pending = [];
      const { start, end } = member.key;
      const isKept = decorated !== undefined && member.type !== 'AccessorProperty';
      const keyPrefix = isKept ? `${state}.k${decorated.index} = ${HELPERS}.propertyKey(` : '';
      edits.insert(start, () => ['(', evaluatedHere.flatMap((each) => [each, ', ']), keyPrefix]);
      edits.insert(end, isKept ? '))' : ')');
    }
    return pending;
  }

  #decoratorList({ decorators }: TsNode): Code {
    const items = (decorators ?? []).map(({ expression: { start, end } }): Code => this.#edits.render(start, end));
    return ['[', join(items, ', '), ']'];
  }

  /** Wraps a class in a function, with a static block that applies the decorators. */
  #wrapClass(pending: Code[], usesOuterThis: boolean): void {
    const { node, statement, exportedFrom } = this.#record;
    const edits = this.#edits;
    const state = this.#stateName;
    const isStatement = node.type === 'ClassDeclaration';
    const isDefault = statement.type === 'ExportDefaultDeclaration';
    const name = node.id?.name ?? this.#scopes.freshName(isDefault ? 'default_1' : 'class_1');
    const decorators = node.decorators ?? [];
    const start = isStatement ? Math.min(statement.start, decorators[0]?.start ?? node.start) : node.start;
    const classAt = classKeywordOffset(
      this.#file.source,
      Math.max(isStatement ? statement.start : 0, node.start, decorators.at(-1)?.end ?? 0),
    );
    const lists = this.#decoratedMembers.map(({ index }) => `i${index}: [], e${index}: []`);
    edits.replace(start, classAt, () => [
      isStatement ? `let ${name} = ` : '',
      `(() => { const ${state} = { ${usesOuterThis ? 'outer: this, ' : ''}ii: [], si: [], ci: [], ${lists.join(', ')} }; `,
      this.#isClassDecorated ? [`${state}.cd = `, this.#decoratorList(node), `; var ${name} = `] : 'return ',
      new Span(classAt, classAt),
    ]);
    const { id, superClass } = node;
    const body = node.body as TsNode;
    // The decorators may replace the class, so uses of the class's name must refer to the variable.
    if (this.#isClassDecorated && id !== null) edits.replace(id.start, id.end);
    if (!this.#isClassDecorated && id === null && isStatement && !isDefault) edits.insert(classAt + 5, ` ${name}`);
    if (superClass !== null) {
      edits.insert(superClass.start, `(${state}.base = `);
      edits.insert(superClass.end, ')');
    }
    const ownName =
      isDefault && id === null
        ? 'default'
        : id === null && !isStatement
          ? (this.#scopes.inferredNames.get(node) ?? '')
          : null;
    edits.insert(body.start + 1, () => [
      ' static { ',
      ownName === null
        ? ''
        : `Object.defineProperty(this, "name", { value: ${JSON.stringify(ownName)}, configurable: true }); `,
      `${state}.this = this; const metadata = ${HELPERS}.decoratorMetadata(${superClass === null ? 'undefined' : `${state}.base`}); `,
      pending.flatMap((each) => [each, '; ']),
      this.#emitApplications(),
      this.#isClassDecorated
        ? `const descriptor = { value: this }; ${HELPERS}.esDecorate(null, descriptor, ${state}.cd, { kind: "class", name: this.name, metadata }, null, ${state}.ci); ${name} = ${state}.this = descriptor.value; `
        : '',
      `if (metadata) Object.defineProperty(${state}.this, Symbol.metadata, { enumerable: true, configurable: true, writable: true, value: metadata }); } `,
    ]);
    edits.insert(Math.max(node.end, isStatement ? statement.end : node.end), () => {
      const code = [this.#isClassDecorated ? `; return ${name} = ${state}.this; })()` : '; })()'];
      if (!isStatement) return code;
      code.push(';');
      if (exportedFrom !== null) code.push(` ${exportedFrom.parameter}.${name} = ${name};`);
      else if (isDefault) code.push(` export default ${name};`);
      else if (statement !== node) code.push(` export { ${name} };`);
      return code;
    });
  }

  #emitApplications(): Code[] {
    const inOrder = [
      ...this.#decoratedMembers.filter(({ member, kind }) => member.static && kind !== 'field'),
      ...this.#decoratedMembers.filter(({ member, kind }) => !member.static && kind !== 'field'),
      ...this.#decoratedMembers.filter(({ member, kind }) => member.static && kind === 'field'),
      ...this.#decoratedMembers.filter(({ member, kind }) => !member.static && kind === 'field'),
    ];
    return inOrder.map((each) => {
      const { member, index, kind, isPrivate } = each;
      const state = this.#stateName;
      const isField = kind === 'field';
      const initializers = isField || kind === 'accessor' ? `${state}.i${index}` : 'null';
      const extra = isField || kind === 'accessor' ? `${state}.e${index}` : `${state}.${member.static ? 'si' : 'ii'}`;
      return [
        new MappingPoint(member.start),
        `${HELPERS}.esDecorate(${isField ? 'null' : 'this'}, `,
        isPrivate && !isField ? [`${state}.v${index} = `, this.#privateDescriptor(each)] : 'null',
        `, ${state}.d${index}, { kind: "${kind}", name: `,
        this.#nameCode(each),
        `, static: ${member.static}, private: ${isPrivate}, access: `,
        this.#accessCode(each),
        `, metadata }, ${initializers}, ${extra}); `,
      ];
    });
  }

  #nameCode({ member, index, isPrivate }: DecoratedMember): Code {
    const { key, computed, type } = member;
    if (computed)
      return type === 'AccessorProperty'
        ? (this.#scopes.keyVariable(member) ?? spanOf(key))
        : `${this.#stateName}.k${index}`;
    if (isPrivate) return JSON.stringify(`#${key.name}`);
    return key.type === 'Identifier' ? JSON.stringify(key.name) : ['String(', spanOf(key), ')'];
  }

  #accessCode(each: DecoratedMember): Code {
    const { member, kind, isPrivate } = each;
    const name: Code = isPrivate ? `#${member.key.name}` : this.#nameCode(each);
    const at: Code = isPrivate ? ['o.', name] : ['o[', name, ']'];
    const reads = kind !== 'setter';
    const writes = kind === 'setter' || kind === 'field' || kind === 'accessor';
    return [
      '{ has: (o) => ',
      name,
      ' in o',
      reads ? [', get: (o) => ', at] : '',
      writes ? [', set: (o, value) => { ', at, ' = value; }'] : '',
      ' }',
    ];
  }

  /** Adds code that runs the initialisers added by decorators, between the fields. */
  #runInitializers(members: readonly TsNode[], isStatic: boolean): void {
    const state = this.#stateName;
    const edits = this.#edits;
    const target = isStatic ? `${state}.this` : 'this';
    const run = (list: string): string => `${HELPERS}.runInitializers(${target}, ${state}.${list})`;
    const decoratedMembers = this.#decoratedMembers.filter(({ member }) => member.static === isStatic);
    let pending = decoratedMembers.some(({ kind }) => kind !== 'field' && kind !== 'accessor')
      ? [run(isStatic ? 'si' : 'ii')]
      : [];
    const emitPending = (): string => {
      if (pending.length === 0) return '';
      const text = pending.join(', ');
      pending = [];
      return isStatic ? ` static { ${text}; } ` : ` #${this.#scopes.freshName('initializers_1')} = (${text}, void 0); `;
    };
    for (const member of members) {
      const isField = member.type === 'PropertyDefinition' || member.type === 'AccessorProperty';
      if (!isField || member.static !== isStatic || member.declare === true) continue;
      const decorated = decoratedMembers.find((each) => each.member === member);
      // The insertion comes before the removed decorators, and after other edits at the member's start.
      edits.insert(member.start, emitPending());
      if (decorated === undefined) continue;
      const { index } = decorated;
      pending.push(run(`e${index}`));
      const wrapped = (): Code => [
        `${HELPERS}.runInitializers(${target}, ${state}.i${index}, `,
        member.value === null ? 'void 0' : this.#namedValue(decorated, member.value),
        ')',
      ];
      if (member.type === 'AccessorProperty') this.#scopes.accessorValues.set(member, wrapped);
      else if (member.value === null) {
        const end = member.typeAnnotation?.end ?? this.#keyEnd(member);
        if (member.definite === true) edits.replace(this.#keyEnd(member), end);
        edits.insert(end, () => [' = ', wrapped()]);
      } else {
        const { start, end } = member.value;
        edits.insert(
          start,
          `${HELPERS}.runInitializers(${target}, ${state}.i${index}, ${this.#nameStart(decorated, member.value)}`,
        );
        edits.insert(end, `${this.#nameEnd(decorated, member.value)})`);
      }
    }
    if (isStatic && this.#isClassDecorated) pending.push(run('ci'));
    const body = this.#record.node.body as TsNode;
    edits.insert(body.end - 1, emitPending());
  }

  #keyEnd(member: TsNode): number {
    const { source } = this.#file;
    const { end } = member.key;
    return member.computed ? source.indexOf(']', end) + 1 : end;
  }

  /** Code of a field's value. An anonymous function gets the name of the field. */
  #namedValue(decorated: DecoratedMember, value: TsNode): Code {
    const { start, end } = value;
    return [this.#nameStart(decorated, value), this.#edits.render(start, end), this.#nameEnd(decorated, value)];
  }

  #nameStart(decorated: DecoratedMember, value: TsNode): string {
    const name = inferredName(decorated, value);
    return name === null ? '' : `{ ${name}: `;
  }

  #nameEnd(decorated: DecoratedMember, value: TsNode): string {
    const name = inferredName(decorated, value);
    return name === null ? '' : ` }[${name}]`;
  }

  /** Replaces a private method by accessors that return the decorated function, because it cannot be reassigned. */
  #rewritePrivateMember({ member, index, kind }: DecoratedMember): void {
    if (kind === 'field') return;
    const { key } = member;
    const descriptor = `${this.#stateName}.v${index}`;
    if (kind === 'accessor') {
      this.#scopes.accessorDescriptors.set(member, descriptor);
      return;
    }
    const modifiers = member.static ? 'static ' : '';
    const text =
      kind === 'method'
        ? `get #${key.name}() { return ${descriptor}.value; }`
        : kind === 'getter'
          ? `get #${key.name}() { return ${descriptor}.get.call(this); }`
          : `set #${key.name}(value) { ${descriptor}.set.call(this, value); }`;
    const from = (member.decorators ?? []).at(-1)?.end ?? member.start;
    this.#edits.replace(from, member.end, ` ${modifiers}${text}`);
  }

  #privateDescriptor({ member, kind }: DecoratedMember): Code {
    const { key } = member;
    const name = JSON.stringify(`#${key.name}`);
    if (kind === 'accessor') {
      const storage = this.#scopes.storageName(member);
      return `{ get() { return this.#${storage}; }, set(value) { this.#${storage} = value; } }`;
    }
    const method = member.value as TsNode;
    const modifiers = kind === 'getter' ? 'get ' : kind === 'setter' ? 'set ' : method.async ? 'async ' : '';
    const star = (method as unknown as { generator: boolean }).generator ? '*' : '';
    const functionCode = this.#edits.render(method.start, method.end);
    return [`Object.getOwnPropertyDescriptor({ ${modifiers}${star}${name}`, functionCode, ` }, ${name})`];
  }
}

function inferredName({ member }: DecoratedMember, value: TsNode): string | null {
  const isFunction = value.type === 'ArrowFunctionExpression' || value.type === 'FunctionExpression';
  if (!(isFunction || value.type === 'ClassExpression') || (value.id !== null && value.id !== undefined)) return null;
  const { key, computed } = member;
  if (computed) return null;
  if (key.type === 'PrivateIdentifier') return JSON.stringify(`#${key.name}`);
  return JSON.stringify(key.type === 'Identifier' ? key.name : String(key.value));
}

/** Uses of `this` in an expression that have the same `this` as the code around the expression. */
function thisExpressionsIn(node: TsNode): TsNode[] {
  if (node.type === 'ThisExpression') return [node];
  if (node.type === 'FunctionExpression' || node.type === 'FunctionDeclaration' || node.type.startsWith('Class'))
    return [];
  return runtimeChildren(node).flatMap(thisExpressionsIn);
}

function decoratedKind(member: TsNode): DecoratedMember['kind'] {
  if (member.type === 'AccessorProperty') return 'accessor';
  if (member.type !== 'MethodDefinition') return 'field';
  return member.kind === 'get' ? 'getter' : member.kind === 'set' ? 'setter' : 'method';
}

function isAbstract({ type }: TsNode): boolean {
  return type.startsWith('TSAbstract');
}

function spanOf({ start, end }: TsNode): Span {
  return new Span(start, end);
}

/** Offset of the keyword `class`, after modifiers and comments. */
export function classKeywordOffset(source: string, from: number): number {
  const gap = /(?:\s|\/\*[\s\S]*?\*\/|\/\/[^\n]*|\b(?:export|default|abstract|declare)\b)*/y;
  gap.lastIndex = from;
  gap.exec(source);
  return gap.lastIndex;
}
