// An expression that somebody has evaluated where a program stands still: what it writes by itself is told by barriers, as of code in debug mode (write-barriers.ts). Nobody analyses it: each
// object is passed through the function that tells of it, and names are taken for such of no file, which does no harm where they are others.
import { parseSync } from 'oxc-parser';
import { bare, childrenOf, type Node, targetsOf } from './ast.ts';

export interface BarredExpression {
  readonly code: string;
  /** Whether barriers tell of all that it writes. */
  readonly isWhole: boolean;
}

/** What stands around a piece of the text. */
interface Wrapped {
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

/** Methods that move the `lastIndex` of what they are called on, and of what they are given. */
const MOVING = /^(exec|test)$/;
const MOVING_ARGUMENT = /^(match|replace|replaceAll)$/;

/** @param text of an expression that can be compiled */
export function barredExpression(text: string): BarredExpression {
  const source = `(${text}\n)`;
  const { program } = parseSync('expression.js', source, { sourceType: 'script', lang: 'js', preserveParens: true });
  const barriers = new ExpressionBarriers();
  barriers.visit(program as unknown as Node);
  return { code: rendered(source, barriers.wrapped).slice(1, -2), isWhole: barriers.isWhole };
}

class ExpressionBarriers {
  readonly wrapped: Wrapped[] = [];
  isWhole = true;
  /** Expressions that are statements: one that began with a parenthesis might go on with the one before. */
  readonly #statements = new Set<Node>();

  visit(node: Node): void {
    switch (node.type) {
      case 'ExpressionStatement':
        this.#statements.add(node.expression);
        break;
      case 'AssignmentExpression':
        this.#target(node.left, node);
        break;
      case 'UpdateExpression':
        this.#target(node.argument as Node, node);
        break;
      case 'ForInStatement':
      case 'ForOfStatement':
        if (node.left.type !== 'VariableDeclaration') this.#target(node.left, node.right);
        break;
      case 'UnaryExpression':
        if (node.operator === 'delete') this.#deletion(bare(node.argument as Node));
        break;
      case 'CallExpression':
        this.#call(node);
        break;
    }
    for (const child of childrenOf(node)) this.visit(child);
  }

  /** @param whole whose evaluation writes it */
  #target(target: Node, whole: Node): void {
    for (const node of targetsOf(bare(target)).map(bare)) {
      if (node.type === 'MemberExpression') this.#member(node);
      if (node.type !== 'Identifier') continue;
      const barrier = `tt$w && tt$g(null, ${JSON.stringify(node.name)}), `;
      if (this.#statements.has(whole)) this.#wrap(whole, barrier, '');
      else this.#wrap(whole, `(${barrier}`, ')');
    }
  }

  #member({ object, property, computed }: Node): void {
    // Only a class of the expression's own has private members, and only its objects.
    if (property.type === 'PrivateIdentifier') return;
    if (object.type === 'Super') this.isWhole = false;
    else if (computed) {
      this.#wrap(object, 'tt$i(', ')');
      this.#wrap(property, 'tt$k(', ')');
    } else this.#wrap(object, 'tt$o(', `, ${JSON.stringify(property.name)})`);
  }

  #deletion(node: Node): void {
    const member = node.type === 'ChainExpression' ? bare(node.expression) : node;
    if (member.type !== 'MemberExpression') return;
    if (member.object.type === 'Super' || isOptional(member.object)) this.isWhole = false;
    else this.#wrap(member.object, 'tt$d(', ')');
  }

  #call({ callee, arguments: [first] }: Node): void {
    const called = bare(callee);
    if (called.type === 'Identifier' && called.name === 'eval') this.isWhole = false;
    if (called.type !== 'MemberExpression' || called.computed) return;
    const { name } = called.property;
    const moved = MOVING.test(name) ? called.object : MOVING_ARGUMENT.test(name) ? first : undefined;
    if (moved === undefined) return;
    const isUnknown = moved.type === 'SpreadElement' || moved.type === 'Super';
    if (isUnknown || (moved === called.object && isOptional(moved))) this.isWhole = false;
    else this.#wrap(moved, 'tt$o(', ', "lastIndex")');
  }

  #wrap({ start, end }: Node, before: string, after: string): void {
    this.wrapped.push({ start, end, before, after });
  }
}

/** The chain may end before it comes there: it is not to be taken apart. */
function isOptional(node: Node): boolean {
  if (node.type !== 'MemberExpression' && node.type !== 'CallExpression') return false;
  return node.optional || isOptional(node.type === 'MemberExpression' ? node.object : node.callee);
}

/** What is around others stands further out. */
function rendered(source: string, wrapped: readonly Wrapped[]): string {
  const pieces = wrapped.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const begins = Map.groupBy(pieces, ({ start }) => start);
  const ends = Map.groupBy(pieces.toReversed(), ({ end }) => end);
  let code = '';
  for (let at = 0; at <= source.length; at++) {
    for (const { after } of ends.get(at) ?? []) code += after;
    for (const { before } of begins.get(at) ?? []) code += before;
    code += source[at] ?? '';
  }
  return code;
}
