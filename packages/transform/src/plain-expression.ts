// An expression that somebody has written as it would stand in the program's source, as one that can be compiled anywhere: without types, and with private members, which only code of their class may
// name, had by a function that whoever compiles it gives. Classes of the expression's own keep what they have.
import { parseSync } from 'oxc-parser';
import { bare, childrenOf, type Node, targetsOf } from './ast.ts';

/** What the function is asked for: the value; a method that can be called; something that has the value as `v`, to be assigned; whether there is such a member. */
export type PrivateUse = 'value' | 'method' | 'place' | 'in';

/** @param reader the name of the function: object, name with its `#`, a `PrivateUse`, and whether nothing of nobody is asked for. What is no expression is left as it is */
export function plainExpression(text: string, reader: string): string {
  const source = `(${text}\n)`;
  // Where both are possible it is the language of the program that runs.
  const trees = (['js', 'ts'] as const).map((lang) =>
    parseSync(`expression.${lang}`, source, { sourceType: 'script', lang, preserveParens: true }),
  );
  const tree = trees.find(({ errors }) => errors.length === 0);
  return tree === undefined
    ? text
    : new Plain(source, reader)
        .text(tree.program as unknown as Node)
        .slice(1, -1)
        .trimEnd();
}

class Plain {
  readonly #source: string;
  readonly #reader: string;
  readonly #called = new Set<Node>();
  readonly #assigned = new Set<Node>();

  constructor(source: string, reader: string) {
    this.#source = source;
    this.#reader = reader;
  }

  text(node: Node): string {
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
        return this.text(node.expression);
      case 'CallExpression':
        this.#called.add(inner(node.callee));
        break;
      case 'TaggedTemplateExpression':
        this.#called.add(inner(node.tag));
        break;
      case 'AssignmentExpression':
        this.#assigns(node.left);
        break;
      case 'UpdateExpression':
        this.#assigns(node.argument as Node);
        break;
      case 'MemberExpression':
        if (node.property.type === 'PrivateIdentifier') return this.#member(node);
        break;
      case 'BinaryExpression':
        if (node.left.type === 'PrivateIdentifier') return this.#asked(node.right, node.left.name, 'in', false);
        break;
    }
    return node.type.startsWith('TS') ? '' : this.#parts(node);
  }

  #parts(node: Node): string {
    let text = '';
    let at = node.start;
    for (const child of childrenOf(node)) {
      text += this.#source.slice(at, child.start) + this.text(child);
      at = child.end;
    }
    return text + this.#source.slice(at, node.end);
  }

  #member(node: Node): string {
    const { object, property, optional } = node;
    if (this.#assigned.has(node)) return `${this.#asked(object, property.name, 'place', false)}.v`;
    return this.#asked(object, property.name, this.#called.has(node) ? 'method' : 'value', optional);
  }

  #asked(object: Node, name: string, use: PrivateUse, isOptional: boolean): string {
    return `${this.#reader}(${this.text(object)}, ${JSON.stringify(`#${name}`)}, '${use}', ${isOptional})`;
  }

  #assigns(target: Node): void {
    for (const node of targetsOf(inner(target)).map(inner))
      if (node.type === 'MemberExpression') this.#assigned.add(node);
  }
}

/** Without parentheses and what says of what type it is. */
function inner(node: Node): Node {
  const found = bare(node);
  return /^TS(?:As|Satisfies|NonNull)Expression$/.test(found.type) ? inner(found.expression) : found;
}
