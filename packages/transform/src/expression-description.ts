// V8's text for an expression in error messages (its CallPrinter). Needed where emitted code evaluates an expression
// separately from the failing call or pattern, because V8 would then name a frame slot.

import { skipParens, literalValue, type Node } from './ast.ts';

const INTERMEDIATE_VALUE = '(intermediate value)';

export function describeExpression(expression: Node): string {
  const node = skipParens(expression);
  switch (node.type) {
    case 'Identifier':
      return node.name;
    case 'ThisExpression':
      return 'this';
    case 'Literal':
      return describeLiteral(node);
    case 'TemplateLiteral':
      return node.quasis.length === 1 ? cookedText(node) : INTERMEDIATE_VALUE;
    case 'ChainExpression':
      return node.expression.type === 'CallExpression' ? INTERMEDIATE_VALUE : describeExpression(node.expression);
    case 'MemberExpression':
      return describeMember(node);
    case 'CallExpression':
      return `${describeExpression(node.callee)}(...)`;
    case 'AssignmentExpression':
      return describeExpression(node.left);
    case 'SequenceExpression':
      return `(${node.expressions.map(describeExpression).join(' , ')})`;
    case 'BinaryExpression':
    case 'LogicalExpression':
      return `(${describeExpression(node.left)} ${node.operator} ${describeExpression(node.right)})`;
    case 'UnaryExpression':
      return `(${node.operator}${node.operator.length > 1 ? ' ' : ''}${describeExpression(node.argument as Node)})`;
    case 'ConditionalExpression':
      return INTERMEDIATE_VALUE.repeat(3);
    default:
      return INTERMEDIATE_VALUE;
  }
}

/** V8's text for an expression that is iterated. */
export function describeIterable(expression: Node): string {
  const node = skipParens(expression);
  const text = describeExpression(node.type === 'CallExpression' ? node.callee : node);
  return node.type === 'CallExpression' ? `${text} is not a function or its return value` : text;
}

function describeMember({ object, property, computed, optional }: Node): string {
  const owner = describeExpression(object);
  const dot = optional ? '?.' : '.';
  if (property.type === 'PrivateIdentifier') return `${owner}[#${property.name}]`;
  if (!computed) return `${owner}${dot}${property.name}`;
  const key = skipParens(property);
  const name = key.type === 'Literal' ? literalValue(key) : key.type === 'TemplateLiteral' ? cookedText(key) : null;
  if (typeof name === 'string' && !/^\d+$/.test(name) && !(key.quasis?.length > 1)) return `${owner}${dot}${name}`;
  return `${owner}${optional ? '?.' : ''}[${describeExpression(key)}]`;
}

function describeLiteral(node: Node): string {
  const value = literalValue(node);
  if (typeof value === 'string') return JSON.stringify(value);
  return value === null || /^(number|boolean)$/.test(typeof value) ? String(value) : INTERMEDIATE_VALUE;
}

function cookedText(node: Node): string {
  const { value } = node.quasis[0] as Node;
  return (value as unknown as { cooked: string }).cooked;
}

/** Name of an object pattern's first property, which messages mention; null if it is not literal. */
export function firstPropertyName(pattern: Node): string | null {
  const first = pattern.properties[0];
  if (first === undefined || first.type === 'RestElement' || first.computed) return null;
  return first.key.type === 'Identifier' ? first.key.name : String(literalValue(first.key));
}
