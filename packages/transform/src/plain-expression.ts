// Turns an expression in the program's language, as a user writes it, into an expression that compiles anywhere. Types
// are removed. A private member is read by a function that the caller supplies, because only code of its class can name
// it. Classes inside the expression keep their private members.
import { parseSync } from 'oxc-parser';
import { skipParens, childrenOf, type Node, targetsOf } from './ast.ts';

/** What the reader returns: the value, a callable method, an assignable `{ v }`, or whether the member exists. */
export type PrivateUse = 'value' | 'method' | 'place' | 'in';

/**
 * Plain form of an expression, or the text if it is none.
 * @param readerName function that gets an object, a name with `#`, a `PrivateUse`, and whether null yields undefined
 */
export function toPlainExpression(text: string, readerName: string): string {
  const source = `(${text}\n)`;
  // If the text is an expression in both languages, JavaScript wins.
  const trees = (['js', 'ts'] as const).map((lang) =>
    parseSync(`expression.${lang}`, source, { sourceType: 'script', lang, preserveParens: true }),
  );
  const tree = trees.find(({ errors }) => errors.length === 0);
  return tree === undefined
    ? text
    : new PlainWriter(source, readerName)
        .write(tree.program as unknown as Node)
        .slice(1, -1)
        .trimEnd();
}

/** Writes code without types, with reader calls for private members. */
export class PlainWriter {
  readonly #source: string;
  readonly #readerName: string;
  readonly #calledMembers = new Set<Node>();
  readonly #assignedMembers = new Set<Node>();

  constructor(source: string, readerName: string) {
    this.#source = source;
    this.#readerName = readerName;
  }

  write(node: Node): string {
    switch (node.type) {
      case 'ClassBody':
        return this.#source.slice(node.start, node.end);
      case 'Identifier':
        return node.name;
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
      case 'TSNonNullExpression':
      case 'TSTypeAssertion':
      case 'TSInstantiationExpression':
        return this.write(node.expression);
      case 'CallExpression':
        this.#calledMembers.add(skipParensAndTypes(node.callee));
        break;
      case 'TaggedTemplateExpression':
        this.#calledMembers.add(skipParensAndTypes(node.tag));
        break;
      case 'AssignmentExpression':
        this.#markAssigned(node.left);
        break;
      case 'UpdateExpression':
        this.#markAssigned(node.argument as Node);
        break;
      case 'MemberExpression':
        if (node.property.type === 'PrivateIdentifier') return this.#writeMember(node);
        break;
      case 'BinaryExpression':
        if (node.left.type === 'PrivateIdentifier') return this.#readerCall(node.right, node.left.name, 'in', false);
        break;
    }
    return node.type.startsWith('TS') ? '' : this.#writeParts(node);
  }

  #writeParts(node: Node): string {
    let text = '';
    let offset = node.start;
    for (const child of childrenOf(node)) {
      text += this.#source.slice(offset, child.start) + this.write(child);
      offset = child.end;
    }
    return text + this.#source.slice(offset, node.end);
  }

  #writeMember(node: Node): string {
    const { object, property, optional } = node;
    if (this.#assignedMembers.has(node)) return `${this.#readerCall(object, property.name, 'place', false)}.v`;
    return this.#readerCall(object, property.name, this.#calledMembers.has(node) ? 'method' : 'value', optional);
  }

  #readerCall(object: Node, name: string, use: PrivateUse, isOptional: boolean): string {
    return `${this.#readerName}(${this.write(object)}, ${JSON.stringify(`#${name}`)}, '${use}', ${isOptional})`;
  }

  #markAssigned(target: Node): void {
    for (const node of targetsOf(skipParensAndTypes(target)).map(skipParensAndTypes))
      if (node.type === 'MemberExpression') this.#assignedMembers.add(node);
  }
}

/** The expression inside any parentheses and type assertions. */
function skipParensAndTypes(node: Node): Node {
  const found = skipParens(node);
  return /^TS(?:As|Satisfies|NonNull)Expression$/.test(found.type) ? skipParensAndTypes(found.expression) : found;
}
