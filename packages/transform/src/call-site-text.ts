// What V8's messages call an expression (its CallPrinter): needed where emitted code evaluates the expression apart from the
// call or the pattern that fails, so that V8 would name a slot of a frame.

import { bare, literalValue, type Node } from './ast.ts';

const UNNAMED = '(intermediate value)';

export function callSiteText(expression: Node): string {
  const node = bare(expression);
  switch (node.type) {
    case 'Identifier':
      return node.name;
    case 'ThisExpression':
      return 'this';
    case 'Literal':
      return literalText(node);
    case 'TemplateLiteral':
      return node.quasis.length === 1 ? cookedText(node) : UNNAMED;
    case 'ChainExpression':
      return node.expression.type === 'CallExpression' ? UNNAMED : callSiteText(node.expression);
    case 'MemberExpression':
      return memberText(node);
    case 'CallExpression':
      return `${callSiteText(node.callee)}(...)`;
    case 'AssignmentExpression':
      return callSiteText(node.left);
    case 'SequenceExpression':
      return `(${node.expressions.map(callSiteText).join(' , ')})`;
    case 'BinaryExpression':
    case 'LogicalExpression':
      return `(${callSiteText(node.left)} ${node.operator} ${callSiteText(node.right)})`;
    case 'UnaryExpression':
      return `(${node.operator}${node.operator.length > 1 ? ' ' : ''}${callSiteText(node.argument as Node)})`;
    case 'ConditionalExpression':
      return UNNAMED.repeat(3);
    default:
      return UNNAMED;
  }
}

/** The same where the expression is iterated. */
export function iterableText(expression: Node): string {
  const node = bare(expression);
  const text = callSiteText(node.type === 'CallExpression' ? node.callee : node);
  return node.type === 'CallExpression' ? `${text} is not a function or its return value` : text;
}

function memberText({ object, property, computed, optional }: Node): string {
  const owner = callSiteText(object);
  const dot = optional ? '?.' : '.';
  if (property.type === 'PrivateIdentifier') return `${owner}[#${property.name}]`;
  if (!computed) return `${owner}${dot}${property.name}`;
  const key = bare(property);
  const name = key.type === 'Literal' ? literalValue(key) : key.type === 'TemplateLiteral' ? cookedText(key) : null;
  if (typeof name === 'string' && !/^\d+$/.test(name) && !(key.quasis?.length > 1)) return `${owner}${dot}${name}`;
  return `${owner}${optional ? '?.' : ''}[${callSiteText(key)}]`;
}

function literalText(node: Node): string {
  const value = literalValue(node);
  if (typeof value === 'string') return JSON.stringify(value);
  return value === null || /^(number|boolean)$/.test(typeof value) ? String(value) : UNNAMED;
}

function cookedText(node: Node): string {
  const { value } = node.quasis[0] as Node;
  return (value as unknown as { cooked: string }).cooked;
}

/** What a message says of an object pattern: the first property, if its name is no matter of evaluation. */
export function firstProperty(pattern: Node): string | null {
  const first = pattern.properties[0];
  if (first === undefined || first.type === 'RestElement' || first.computed) return null;
  return first.key.type === 'Identifier' ? first.key.name : String(literalValue(first.key));
}
