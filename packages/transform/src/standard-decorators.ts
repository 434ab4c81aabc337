// Decorators as the language will have them, which engines do not yet: what tsc emits for them, with its many variables
// gathered in one object for each class. The helpers are core's, and tslib's in what they do.
//
// All decorators are evaluated in the order of the text, then applied: static and instance methods and accessors, static
// and instance fields, the class. What they add with `addInitializer` runs beside the fields.

import { type Code, join, Mark, Span } from './code.ts';
import type { Edits } from './edits.ts';
import { TransformError } from './errors.ts';
import { placeOf } from './lines.ts';
import { type ClassRecord, hasDecorators, type TypeScriptScopes } from './typescript-scopes.ts';
import { listOf, type TsNode, valuesIn } from './typescript-tree.ts';

const HELPERS = 'babelHelpers';

interface Place {
  readonly source: string;
  readonly path: string;
}

/** A decorated member; its properties of the class's object end in `index`. */
interface Decorated {
  readonly member: TsNode;
  readonly index: number;
  readonly kind: 'method' | 'getter' | 'setter' | 'accessor' | 'field';
  readonly isPrivate: boolean;
}

export function lowerStandardDecorators(scopes: TypeScriptScopes, edits: Edits, place: Place): void {
  for (const record of scopes.classes) new StandardDecorators(scopes, edits, place, record).lower();
}

class StandardDecorators {
  readonly #scopes: TypeScriptScopes;
  readonly #edits: Edits;
  readonly #place: Place;
  readonly #record: ClassRecord;
  readonly #state: string;
  readonly #decorated: readonly Decorated[];
  readonly #isClassDecorated: boolean;

  constructor(scopes: TypeScriptScopes, edits: Edits, place: Place, record: ClassRecord) {
    this.#scopes = scopes;
    this.#edits = edits;
    this.#place = place;
    this.#record = record;
    this.#state = scopes.fresh('decorated_1');
    this.#isClassDecorated = hasDecorators([record.node]);
    this.#decorated = listOf(record.node.body as TsNode)
      .filter((member) => hasDecorators([member]) && !isAbstract(member))
      .map((member, index) => ({
        member,
        index,
        kind: kindOf(member),
        isPrivate: member.key.type === 'PrivateIdentifier',
      }));
  }

  lower(): void {
    const { node } = this.#record;
    const members = listOf(node.body as TsNode);
    for (const member of members) {
      // A class expression has none.
      if (isAbstract(member)) this.#edits.replace(member.start, member.end);
      const parameter = (member.value?.params ?? []).find((each) => hasDecorators([each]));
      if (parameter !== undefined) {
        const { path, source } = this.#place;
        const message = 'Parameter decorators need "experimentalDecorators": true in tsconfig.json';
        throw new TransformError('TT_SYNTAX', message, {
          path,
          ...placeOf(source, (parameter.decorators?.[0] ?? parameter).start),
        });
      }
    }
    const outer = members.flatMap((member) => member.decorators ?? []).flatMap(thisIn);
    for (const { start, end } of outer) this.#edits.replace(start, end, `${this.#state}.outer`);
    if (this.#isClassDecorated) this.#meanDecoratedClass(members);
    this.#frame(this.#evaluate(members), outer.length > 0);
    this.#runInitializers(members, false);
    this.#runInitializers(members, true);
    for (const each of this.#decorated) if (each.isPrivate) this.#private(each);
  }

  /** In static initialisers `this` is what decorators made of the class. */
  #meanDecoratedClass(members: readonly TsNode[]): void {
    for (const member of members) {
      const isField = member.type === 'PropertyDefinition' || member.type === 'AccessorProperty';
      const values =
        member.type === 'StaticBlock'
          ? [member]
          : isField && member.static && member.value !== null
            ? [member.value]
            : [];
      for (const { start, end } of values.flatMap(thisIn)) this.#edits.replace(start, end, `${this.#state}.this`);
    }
  }

  /** Decorators of members are evaluated with the next computed key, what is left when the class is made. */
  #evaluate(members: readonly TsNode[]): Code[] {
    const edits = this.#edits;
    const state = this.#state;
    let pending: Code[] = [];
    for (const member of members) {
      const decorated = this.#decorated.find((each) => each.member === member);
      if (decorated !== undefined) {
        pending.push([`${state}.d${decorated.index} = `, this.#list(member)]);
        for (const { start, end } of member.decorators ?? []) edits.replace(start, end);
      }
      if (!member.computed || member.type.startsWith('TS')) continue;
      const flushed = pending;
      pending = [];
      const { start, end } = member.key;
      const isKept = decorated !== undefined && member.type !== 'AccessorProperty';
      const keeps = isKept ? `${state}.k${decorated.index} = ${HELPERS}.propertyKey(` : '';
      edits.insert(start, () => ['(', flushed.flatMap((each) => [each, ', ']), keeps]);
      edits.insert(end, isKept ? '))' : ')');
    }
    return pending;
  }

  #list({ decorators }: TsNode): Code {
    const items = (decorators ?? []).map(({ expression: { start, end } }): Code => this.#edits.render(start, end));
    return ['[', join(items, ', '), ']'];
  }

  /** The function around the class, and the block in it that applies the decorators. */
  #frame(pending: Code[], usesOuterThis: boolean): void {
    const { node, statement, from } = this.#record;
    const edits = this.#edits;
    const state = this.#state;
    const isStatement = node.type === 'ClassDeclaration';
    const isDefault = statement.type === 'ExportDefaultDeclaration';
    const name = node.id?.name ?? this.#scopes.fresh(isDefault ? 'default_1' : 'class_1');
    const decorators = node.decorators ?? [];
    const start = isStatement ? Math.min(statement.start, decorators[0]?.start ?? node.start) : node.start;
    const classAt = classKeyword(
      this.#place.source,
      Math.max(isStatement ? statement.start : 0, node.start, decorators.at(-1)?.end ?? 0),
    );
    const lists = this.#decorated.map(({ index }) => `i${index}: [], e${index}: []`);
    edits.replace(start, classAt, () => [
      isStatement ? `let ${name} = ` : '',
      `(() => { const ${state} = { ${usesOuterThis ? 'outer: this, ' : ''}ii: [], si: [], ci: [], ${lists.join(', ')} }; `,
      this.#isClassDecorated ? [`${state}.cd = `, this.#list(node), `; var ${name} = `] : 'return ',
      new Span(classAt, classAt),
    ]);
    const { id, superClass } = node;
    const body = node.body as TsNode;
    // A class that its decorators may replace goes by the variable.
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
      this.#applied(),
      this.#isClassDecorated
        ? `const descriptor = { value: this }; ${HELPERS}.esDecorate(null, descriptor, ${state}.cd, { kind: "class", name: this.name, metadata }, null, ${state}.ci); ${name} = ${state}.this = descriptor.value; `
        : '',
      `if (metadata) Object.defineProperty(${state}.this, Symbol.metadata, { enumerable: true, configurable: true, writable: true, value: metadata }); } `,
    ]);
    edits.insert(Math.max(node.end, isStatement ? statement.end : node.end), () => {
      const code = [this.#isClassDecorated ? `; return ${name} = ${state}.this; })()` : '; })()'];
      if (!isStatement) return code;
      code.push(';');
      if (from !== null) code.push(` ${from.parameter}.${name} = ${name};`);
      else if (isDefault) code.push(` export default ${name};`);
      else if (statement !== node) code.push(` export { ${name} };`);
      return code;
    });
  }

  #applied(): Code[] {
    const inOrder = [
      ...this.#decorated.filter(({ member, kind }) => member.static && kind !== 'field'),
      ...this.#decorated.filter(({ member, kind }) => !member.static && kind !== 'field'),
      ...this.#decorated.filter(({ member, kind }) => member.static && kind === 'field'),
      ...this.#decorated.filter(({ member, kind }) => !member.static && kind === 'field'),
    ];
    return inOrder.map((each) => {
      const { member, index, kind, isPrivate } = each;
      const state = this.#state;
      const isField = kind === 'field';
      const initializers = isField || kind === 'accessor' ? `${state}.i${index}` : 'null';
      const extra = isField || kind === 'accessor' ? `${state}.e${index}` : `${state}.${member.static ? 'si' : 'ii'}`;
      return [
        new Mark(member.start),
        `${HELPERS}.esDecorate(${isField ? 'null' : 'this'}, `,
        isPrivate && !isField ? [`${state}.v${index} = `, this.#privateDescriptor(each)] : 'null',
        `, ${state}.d${index}, { kind: "${kind}", name: `,
        this.#name(each),
        `, static: ${member.static}, private: ${isPrivate}, access: `,
        this.#access(each),
        `, metadata }, ${initializers}, ${extra}); `,
      ];
    });
  }

  #name({ member, index, isPrivate }: Decorated): Code {
    const { key, computed, type } = member;
    if (computed)
      return type === 'AccessorProperty' ? (this.#scopes.keyOf(member) ?? span(key)) : `${this.#state}.k${index}`;
    if (isPrivate) return JSON.stringify(`#${key.name}`);
    return key.type === 'Identifier' ? JSON.stringify(key.name) : ['String(', span(key), ')'];
  }

  #access(each: Decorated): Code {
    const { member, kind, isPrivate } = each;
    const name: Code = isPrivate ? `#${member.key.name}` : this.#name(each);
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

  /** Puts what the decorators of fields and methods added between the fields. */
  #runInitializers(members: readonly TsNode[], isStatic: boolean): void {
    const state = this.#state;
    const edits = this.#edits;
    const target = isStatic ? `${state}.this` : 'this';
    const run = (list: string): string => `${HELPERS}.runInitializers(${target}, ${state}.${list})`;
    const own = this.#decorated.filter(({ member }) => member.static === isStatic);
    let pending = own.some(({ kind }) => kind !== 'field' && kind !== 'accessor') ? [run(isStatic ? 'si' : 'ii')] : [];
    const carrier = (): string => {
      if (pending.length === 0) return '';
      const text = pending.join(', ');
      pending = [];
      return isStatic ? ` static { ${text}; } ` : ` #${this.#scopes.fresh('initializers_1')} = (${text}, void 0); `;
    };
    for (const member of members) {
      const isField = member.type === 'PropertyDefinition' || member.type === 'AccessorProperty';
      if (!isField || member.static !== isStatic || member.declare === true) continue;
      const decorated = own.find((each) => each.member === member);
      // Before the decorators, which are gone, and behind what other edits insert at the member's start.
      edits.insert(member.start, carrier());
      if (decorated === undefined) continue;
      const { index } = decorated;
      pending.push(run(`e${index}`));
      const wrapped = (): Code => [
        `${HELPERS}.runInitializers(${target}, ${state}.i${index}, `,
        member.value === null ? 'void 0' : this.#named(decorated, member.value),
        ')',
      ];
      if (member.type === 'AccessorProperty') this.#scopes.accessorValues.set(member, wrapped);
      else if (member.value === null) {
        const end = member.typeAnnotation?.end ?? this.#endOfKey(member);
        if (member.definite === true) edits.replace(this.#endOfKey(member), end);
        edits.insert(end, () => [' = ', wrapped()]);
      } else {
        const { start, end } = member.value;
        edits.insert(
          start,
          `${HELPERS}.runInitializers(${target}, ${state}.i${index}, ${this.#nameOpens(decorated, member.value)}`,
        );
        edits.insert(end, `${this.#nameCloses(decorated, member.value)})`);
      }
    }
    if (isStatic && this.#isClassDecorated) pending.push(run('ci'));
    const body = this.#record.node.body as TsNode;
    edits.insert(body.end - 1, carrier());
  }

  #endOfKey(member: TsNode): number {
    const { source } = this.#place;
    const { end } = member.key;
    return member.computed ? source.indexOf(']', end) + 1 : end;
  }

  /** An anonymous function takes the name of its field. */
  #named(decorated: Decorated, value: TsNode): Code {
    const { start, end } = value;
    return [this.#nameOpens(decorated, value), this.#edits.render(start, end), this.#nameCloses(decorated, value)];
  }

  #nameOpens(decorated: Decorated, value: TsNode): string {
    const name = inferredName(decorated, value);
    return name === null ? '' : `{ ${name}: `;
  }

  #nameCloses(decorated: Decorated, value: TsNode): string {
    const name = inferredName(decorated, value);
    return name === null ? '' : ` }[${name}]`;
  }

  /** Private methods cannot be replaced: the class has accessors that ask for the decorated function. */
  #private({ member, index, kind }: Decorated): void {
    if (kind === 'field') return;
    const { key } = member;
    const descriptor = `${this.#state}.v${index}`;
    if (kind === 'accessor') {
      this.#scopes.accessorDescriptors.set(member, descriptor);
      return;
    }
    const words = member.static ? 'static ' : '';
    const text =
      kind === 'method'
        ? `get #${key.name}() { return ${descriptor}.value; }`
        : kind === 'getter'
          ? `get #${key.name}() { return ${descriptor}.get.call(this); }`
          : `set #${key.name}(value) { ${descriptor}.set.call(this, value); }`;
    const from = (member.decorators ?? []).at(-1)?.end ?? member.start;
    this.#edits.replace(from, member.end, ` ${words}${text}`);
  }

  #privateDescriptor({ member, kind }: Decorated): Code {
    const { key } = member;
    const name = JSON.stringify(`#${key.name}`);
    if (kind === 'accessor') {
      const storage = this.#scopes.storageOf(member);
      return `{ get() { return this.#${storage}; }, set(value) { this.#${storage} = value; } }`;
    }
    const method = member.value as TsNode;
    const words = kind === 'getter' ? 'get ' : kind === 'setter' ? 'set ' : method.async ? 'async ' : '';
    const star = (method as unknown as { generator: boolean }).generator ? '*' : '';
    const function_ = this.#edits.render(method.start, method.end);
    return [`Object.getOwnPropertyDescriptor({ ${words}${star}${name}`, function_, ` }, ${name})`];
  }
}

function inferredName({ member }: Decorated, value: TsNode): string | null {
  const isFunction = value.type === 'ArrowFunctionExpression' || value.type === 'FunctionExpression';
  if (!(isFunction || value.type === 'ClassExpression') || (value.id !== null && value.id !== undefined)) return null;
  const { key, computed } = member;
  if (computed) return null;
  if (key.type === 'PrivateIdentifier') return JSON.stringify(`#${key.name}`);
  return JSON.stringify(key.type === 'Identifier' ? key.name : String(key.value));
}

/** Where the `this` around an expression is meant. */
function thisIn(node: TsNode): TsNode[] {
  if (node.type === 'ThisExpression') return [node];
  if (node.type === 'FunctionExpression' || node.type === 'FunctionDeclaration' || node.type.startsWith('Class'))
    return [];
  return valuesIn(node).flatMap(thisIn);
}

function kindOf(member: TsNode): Decorated['kind'] {
  if (member.type === 'AccessorProperty') return 'accessor';
  if (member.type !== 'MethodDefinition') return 'field';
  return member.kind === 'get' ? 'getter' : member.kind === 'set' ? 'setter' : 'method';
}

function isAbstract({ type }: TsNode): boolean {
  return type.startsWith('TSAbstract');
}

function span({ start, end }: TsNode): Span {
  return new Span(start, end);
}

/** Where `class` stands, after words and comments. */
export function classKeyword(source: string, from: number): number {
  const gap = /(?:\s|\/\*[\s\S]*?\*\/|\/\/[^\n]*|\b(?:export|default|abstract|declare)\b)*/y;
  gap.lastIndex = from;
  gap.exec(source);
  return gap.lastIndex;
}
