// Barriers in an expression that a user evaluates at a pause, so that its own writes can be undone (as
// write-barriers.ts does in debug code). There is no analysis: each written object passes through a barrier function.
// Names are treated as undeclared variables, which is harmless for others.
import { parseSync } from 'oxc-parser';
import { skipParens, childrenOf, type Node, targetsOf } from './ast.ts';

export interface ExpressionWithBarriers {
  readonly code: string;
  /** Whether barriers report all of its writes. */
  readonly isComplete: boolean;
}

/** Code before and after a range of the text. */
interface WrappedRange {
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

/** Methods that move the `lastIndex` of their receiver, or of an argument. */
const MOVING_METHODS = /^(exec|test)$/;
const ARGUMENT_MOVING_METHODS = /^(match|replace|replaceAll)$/;

/** @param text an expression that can be compiled */
export function addExpressionBarriers(text: string): ExpressionWithBarriers {
  const source = `(${text}\n)`;
  const { program } = parseSync('expression.js', source, { sourceType: 'script', lang: 'js', preserveParens: true });
  const barriers = new ExpressionBarriers();
  barriers.visit(program as unknown as Node);
  return { code: renderWrapped(source, barriers.wrappedRanges).slice(1, -2), isComplete: barriers.isComplete };
}

class ExpressionBarriers {
  readonly wrappedRanges: WrappedRange[] = [];
  isComplete = true;
  /** Expression statements. A barrier's parenthesis at their start could continue the statement before. */
  readonly #statements = new Set<Node>();

  visit(node: Node): void {
    switch (node.type) {
      case 'ExpressionStatement':
        this.#statements.add(node.expression);
        break;
      case 'AssignmentExpression':
        this.#visitTarget(node.left, node);
        break;
      case 'UpdateExpression':
        this.#visitTarget(node.argument as Node, node);
        break;
      case 'ForInStatement':
      case 'ForOfStatement':
        if (node.left.type !== 'VariableDeclaration') this.#visitTarget(node.left, node.right);
        break;
      case 'UnaryExpression':
        if (node.operator === 'delete') this.#visitDeletion(skipParens(node.argument as Node));
        break;
      case 'CallExpression':
        this.#visitCall(node);
        break;
    }
    for (const child of childrenOf(node)) this.visit(child);
  }

  /** @param expression the expression whose evaluation writes the target */
  #visitTarget(target: Node, expression: Node): void {
    for (const node of targetsOf(skipParens(target)).map(skipParens)) {
      if (node.type === 'MemberExpression') this.#wrapMember(node);
      if (node.type !== 'Identifier') continue;
      const barrier = `tt$w && tt$g(null, ${JSON.stringify(node.name)}), `;
      if (this.#statements.has(expression)) this.#wrap(expression, barrier, '');
      else this.#wrap(expression, `(${barrier}`, ')');
    }
  }

  #wrapMember({ object, property, computed }: Node): void {
    // Only objects of the expression's own classes have such private members.
    if (property.type === 'PrivateIdentifier') return;
    if (object.type === 'Super') this.isComplete = false;
    else if (computed) {
      this.#wrap(object, 'tt$i(', ')');
      this.#wrap(property, 'tt$k(', ')');
    } else this.#wrap(object, 'tt$o(', `, ${JSON.stringify(property.name)})`);
  }

  #visitDeletion(node: Node): void {
    const member = node.type === 'ChainExpression' ? skipParens(node.expression) : node;
    if (member.type !== 'MemberExpression') return;
    if (member.object.type === 'Super' || isOptional(member.object)) this.isComplete = false;
    else this.#wrap(member.object, 'tt$d(', ')');
  }

  #visitCall({ callee, arguments: [first] }: Node): void {
    const calleeNode = skipParens(callee);
    if (calleeNode.type === 'Identifier' && calleeNode.name === 'eval') this.isComplete = false;
    if (calleeNode.type !== 'MemberExpression' || calleeNode.computed) return;
    const { name } = calleeNode.property;
    const movedExpression = MOVING_METHODS.test(name)
      ? calleeNode.object
      : ARGUMENT_MOVING_METHODS.test(name)
        ? first
        : undefined;
    if (movedExpression === undefined) return;
    const isUnknown = movedExpression.type === 'SpreadElement' || movedExpression.type === 'Super';
    if (isUnknown || (movedExpression === calleeNode.object && isOptional(movedExpression))) this.isComplete = false;
    else this.#wrap(movedExpression, 'tt$o(', ', "lastIndex")');
  }

  #wrap({ start, end }: Node, before: string, after: string): void {
    this.wrappedRanges.push({ start, end, before, after });
  }
}

/** Whether the chain may end before the target, so that it must stay whole. */
function isOptional(node: Node): boolean {
  if (node.type !== 'MemberExpression' && node.type !== 'CallExpression') return false;
  return node.optional || isOptional(node.type === 'MemberExpression' ? node.object : node.callee);
}

/** Renders nested ranges, the outer ones outside. */
function renderWrapped(source: string, ranges: readonly WrappedRange[]): string {
  const sorted = ranges.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const rangesByStart = Map.groupBy(sorted, ({ start }) => start);
  const rangesByEnd = Map.groupBy(sorted.toReversed(), ({ end }) => end);
  let code = '';
  for (let offset = 0; offset <= source.length; offset++) {
    for (const { after } of rangesByEnd.get(offset) ?? []) code += after;
    for (const { before } of rangesByStart.get(offset) ?? []) code += before;
    code += source[offset] ?? '';
  }
  return code;
}
