// Barriers for the input of a debugger's console, so that its writes can be undone (in debug code,
// write-barriers.ts adds them). Without an analysis, each written object passes through a barrier function. Each
// assigned name is treated as an undeclared variable, which is harmless for declared ones.
import { skipParens, childrenOf, type Node, targetsOf } from './ast.ts';

/** Code before and after a range of the text. */
export interface WrappedRange {
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

/** Methods that change the `lastIndex` of their receiver. `ARGUMENT_MOVING_METHODS` change that of an argument. */
const MOVING_METHODS = /^(exec|test)$/;
const ARGUMENT_MOVING_METHODS = /^(match|replace|replaceAll)$/;

export class ConsoleBarriers {
  readonly wrappedRanges: WrappedRange[] = [];
  /** Whether barriers report all writes. */
  isComplete = true;
  /** Expressions that are statements. A barrier's parenthesis there could continue the previous statement. */
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

  /** Adds barriers for an assignment target. @param expression the expression that writes the target */
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
    // Only classes inside the expression can have this private member.
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

/** Whether an optional chain may end before its target. Such a chain cannot be split. */
function isOptional(node: Node): boolean {
  if (node.type !== 'MemberExpression' && node.type !== 'CallExpression') return false;
  return node.optional || isOptional(node.type === 'MemberExpression' ? node.object : node.callee);
}

/** Renders ranges, which may be nested. */
export function renderWrapped(source: string, ranges: readonly WrappedRange[]): string {
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
