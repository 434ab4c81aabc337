// Mutations of a source file: each changes one expression or statement. Types, comments, error texts and log strings
// are left alone, since no test should depend on them.
import { parseSync, visitorKeys } from 'oxc-parser';

export interface Mutation {
  readonly kind: 'operator' | 'condition' | 'boundary' | 'await' | 'arguments' | 'statement';
  readonly start: number;
  readonly end: number;
  /** Replaces the text from `start` to `end`. */
  readonly replacement: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const OPERATORS: Readonly<Record<string, string>> = {
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&': '|',
  '|': '&',
  '<<': '>>',
  '>>': '<<',
  '+=': '-=',
  '-=': '+=',
};
const CONDITIONS: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '??': '&&',
};
const BOUNDARIES: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };

/** Calls whose arguments are texts for people. */
const TEXT_CALL = /(?:error|warn|warning|log|refus\w*|corrupt|describe|debug)$/i;

export function findMutations(path: string, source: string): Mutation[] {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]?.message}`);
  const mutations: Mutation[] = [];
  visit(program as unknown as Node, source, mutations);
  return mutations;
}

function visit(node: Node, source: string, mutations: Mutation[]): void {
  if (isText(node)) return;
  mutations.push(...mutationsOf(node, source));
  const isTypeWrapper = node.type === 'TSAsExpression' || node.type === 'TSNonNullExpression';
  if (node.type.startsWith('TS') && !isTypeWrapper && node.type !== 'TSSatisfiesExpression') return;
  for (const key of visitorKeys[node.type] ?? [])
    for (const child of [node[key]].flat()) if (isNode(child)) visit(child, source, mutations);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

/** Whether a node only makes an error or a text for people, or has no code. */
function isText(node: Node): boolean {
  if (node.type === 'ThrowStatement' || node.type === 'ImportDeclaration') return true;
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return false;
  const callee = node['callee'] as Node;
  const name = callee.type === 'MemberExpression' ? (callee['property'] as Node)['name'] : callee['name'];
  return typeof name === 'string' && TEXT_CALL.test(name);
}

function mutationsOf(node: Node, source: string): Mutation[] {
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'AssignmentExpression':
      return operatorMutations(node, source);
    case 'IfStatement':
    case 'ConditionalExpression':
      return [replaced('condition', node['test'] as Node, (text) => `!(${text})`, source)];
    case 'AwaitExpression':
      return [{ ...range(node), kind: 'await', replacement: `(${textOf(node['argument'] as Node, source)})` }];
    case 'CallExpression':
    case 'NewExpression':
      return swappedArguments(node, source);
    case 'ExpressionStatement':
      return isDroppable(node) ? [{ ...range(node), kind: 'statement', replacement: ';' }] : [];
    default:
      return [];
  }
}

function operatorMutations(node: Node, source: string): Mutation[] {
  const operator = node['operator'] as string;
  const [left, right] = [node['left'], node['right']] as [Node, Node];
  const table = [
    ['operator', OPERATORS],
    ['condition', CONDITIONS],
    ['boundary', BOUNDARIES],
  ] as const;
  const found = table.find(([, replacements]) => Object.hasOwn(replacements, operator));
  if (found === undefined || (operator.startsWith('+') && [left, right].some(isString))) return [];
  const [kind, replacements] = found;
  const operands = [textOf(left, source), textOf(right, source)] as const;
  // An operator that binds otherwise needs parentheses, and `??` may not be mixed with `&&`.
  const replacement =
    node.type === 'AssignmentExpression'
      ? operands.join(` ${replacements[operator]} `)
      : `((${operands[0]}) ${replacements[operator]} (${operands[1]}))`;
  return [{ ...range(node), kind, replacement }];
}

function isString(node: Node): boolean {
  if (node.type === 'BinaryExpression') return isString(node['left'] as Node) || isString(node['right'] as Node);
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node['value'] === 'string');
}

/** Calls that give the same result for arguments in any order. */
const SYMMETRIC_CALL = /^Math\.(?:max|min|hypot)$/;

function swappedArguments(node: Node, source: string): Mutation[] {
  if (SYMMETRIC_CALL.test(textOf(node['callee'] as Node, source))) return [];
  const [first, second] = node['arguments'] as readonly Node[];
  if (first === undefined || second === undefined) return [];
  if ([first, second].some(({ type }) => type === 'SpreadElement' || /Function/.test(type))) return [];
  const [a, b] = [textOf(first, source), textOf(second, source)];
  if (a === b) return [];
  const replacement = b + source.slice(first.end, second.start) + a;
  return [{ kind: 'arguments', start: first.start, end: second.end, replacement }];
}

function isDroppable(node: Node): boolean {
  const expression = node['expression'] as Node;
  if (expression.type === 'CallExpression')
    return (expression['callee'] as Node).type !== 'Super' && !isText(expression);
  return /^(?:AssignmentExpression|AwaitExpression|UpdateExpression)$/.test(expression.type);
}

function replaced(kind: Mutation['kind'], node: Node, replace: (text: string) => string, source: string): Mutation {
  return { ...range(node), kind, replacement: replace(textOf(node, source)) };
}

function range({ start, end }: Node): { start: number; end: number } {
  return { start, end };
}

function textOf({ start, end }: Node, source: string): string {
  return source.slice(start, end);
}

export function applyMutation(source: string, { start, end, replacement }: Mutation): string {
  return source.slice(0, start) + replacement + source.slice(end);
}

/** Line of a mutation (from 1), and its change. */
export function describeMutation(source: string, { kind, start, end, replacement }: Mutation): string {
  const line = source.slice(0, start).split('\n').length;
  const oneLine = (text: string): string => {
    const joined = text.replaceAll(/\s+/g, ' ');
    return joined.length > 70 ? `${joined.slice(0, 67)}...` : joined;
  };
  return `${line} ${kind}: ${oneLine(source.slice(start, end))} -> ${oneLine(replacement)}`;
}
