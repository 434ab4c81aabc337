/*
 * The reference for debug mode: Babel puts a call before every stop in the plain source, by rules that are written
 * independently of the transform. The calls also read variables, by direct `eval` in place, and so see what the
 * language sees.
 */
import { createRequire } from 'node:module';

type Node = Record<string, unknown> & { readonly type: string; readonly start?: number };
type Nodes = readonly Node[];
type Babel = {
  readonly parseSync: (source: string, options: object) => Node;
  readonly transformFromAstSync: (tree: Node, source: string, options: object) => { readonly code: string };
  readonly types: { readonly VISITOR_KEYS: Record<string, readonly string[]> };
};

const babel = createRequire(import.meta.url)('@babel/core') as Babel;
const keys = babel.types.VISITOR_KEYS;

/** `turn` distinguishes further turns of a loop with an empty head from the loop itself. */
export type StatementProbe = (start: number, turn: boolean, read: (name: string) => unknown) => void;

const identifier = (name: string): Node => ({ type: 'Identifier', name });
const literal = (value: boolean | number): Node => ({
  type: typeof value === 'number' ? 'NumericLiteral' : 'BooleanLiteral',
  value,
});

/** `$at(start, turn, ($n) => eval($n))` */
function probeCall(start: number, turn: boolean): Node {
  const inner = { type: 'CallExpression', callee: identifier('eval'), arguments: [identifier('$n')] };
  const read = { type: 'ArrowFunctionExpression', params: [identifier('$n')], body: inner, async: false };
  return { type: 'CallExpression', callee: identifier('$at'), arguments: [literal(start), literal(turn), read] };
}

const probeBefore = (start: number): Node => ({ type: 'ExpressionStatement', expression: probeCall(start, false) });
const probedValue = (start: number, value: Node, turn = true): Node => ({
  type: 'SequenceExpression',
  expressions: [probeCall(start, turn), value],
});

const CALLS =
  /^(Optional)?CallExpression$|^(New|TaggedTemplate|Await|Yield|Import|Function|ArrowFunction|Class)Expression$|^(Object|Class)Method$/;

function children(node: Node): Node[] {
  const found = (keys[node.type] ?? []).flatMap((key) => (node[key] ?? []) as Node | Nodes);
  return found.filter((each) => each !== null);
}

const hasCall = (node: Node): boolean => CALLS.test(node.type) || children(node).some(hasCall);

/** Whether each turn of a loop starts with the first statement of its body: nothing is called in the head. */
function isPlainTurn(node: Node): boolean {
  const inner = node['body'] as Node;
  const first = inner.type === 'BlockStatement' ? (inner['body'] as Nodes)[0] : inner;
  if (
    first === undefined ||
    !/^(Expression|If|Return|Throw|Break|Continue|Switch)Statement$|^Variable/.test(first.type)
  )
    return false;
  if (startOf(first) === undefined) return false;
  return !['test', 'update'].some((key) => (node[key] ?? null) !== null && hasCall(node[key] as Node));
}

const UNPROBED = /^(FunctionDeclaration|BlockStatement|TryStatement|EmptyStatement|WhileStatement|DoWhileStatement)$/;

function startOf(statement: Node): number | undefined {
  let node = statement;
  while (node.type === 'LabeledStatement') node = node['body'] as Node;
  if (UNPROBED.test(node.type) && !(node.type === 'WhileStatement' && isPlainTurn(node))) return undefined;
  const declarations = node['declarations'] as Nodes | undefined;
  if (node['kind'] === 'var' && declarations?.every(({ init }) => init === null || init === undefined) === true)
    return undefined;
  return node.start;
}

function list(statements: Nodes): Node[] {
  return statements.flatMap((each) => {
    const start = startOf(each);
    return start === undefined ? [rewrite(each)] : [probeBefore(start), rewrite(each)];
  });
}

function body(statement: Node): Node {
  if (statement.type === 'BlockStatement') return rewrite(statement);
  return { type: 'BlockStatement', body: list([statement]), directives: [] };
}

function rewrite(node: Node): Node {
  const copy: Record<string, unknown> & { type: string } = { ...node };
  for (const key of keys[node.type] ?? []) {
    const child = node[key] as Node | Nodes | null | undefined;
    if (Array.isArray(child))
      copy[key] = (child as (Node | null)[]).map((each) => (each === null ? null : rewrite(each)));
    else if (child !== null && child !== undefined) copy[key] = rewrite(child as Node);
  }
  const childAt = (key: string): Node => node[key] as Node;
  switch (node.type) {
    case 'BlockStatement':
    case 'StaticBlock':
      copy['body'] = list(node['body'] as Nodes);
      break;
    case 'SwitchCase':
      copy['consequent'] = list(node['consequent'] as Nodes);
      break;
    case 'IfStatement':
      copy['consequent'] = body(childAt('consequent'));
      if (childAt('alternate') !== null && childAt('alternate') !== undefined)
        copy['alternate'] = body(childAt('alternate'));
      break;
    case 'ForStatement': {
      copy['body'] = body(childAt('body'));
      if (isPlainTurn(node)) break;
      const key = ['update', 'test'].find((each) => (node[each] ?? null) !== null);
      if (key === undefined) copy['test'] = probedValue(node.start ?? 0, literal(true));
      else copy[key] = probedValue(childAt(key).start ?? 0, copy[key] as Node);
      break;
    }
    case 'ForInStatement':
    case 'ForOfStatement':
      copy['body'] = body(childAt('body'));
      break;
    case 'WhileStatement':
    case 'DoWhileStatement':
      copy['body'] = body(childAt('body'));
      if (isPlainTurn(node)) break;
      copy['test'] = probedValue(childAt('test').start ?? 0, copy['test'] as Node);
      break;
    case 'ArrowFunctionExpression':
      if (childAt('body').type !== 'BlockStatement')
        copy['body'] = probedValue(childAt('body').start ?? 0, copy['body'] as Node, false);
      break;
    case 'ClassProperty':
    case 'ClassPrivateProperty': {
      const value = childAt('value') as Node | null;
      const isAnonymous = value !== null && /^(ArrowFunction|Function|Class)Expression$/.test(value.type);
      if (value !== null && !(isAnonymous && (value['id'] ?? null) === null))
        copy['value'] = probedValue(value.start ?? 0, copy['value'] as Node, false);
    }
  }
  return copy as Node;
}

/** Instruments a source. The result calls a function `$at` at every stop. */
export function instrument(source: string): string {
  const tree = babel.parseSync(source, { sourceType: 'script', configFile: false, babelrc: false });
  const program = (tree['program'] ?? tree) as Node;
  const rewritten = { ...program, body: (program['body'] as Nodes).map(rewrite) };
  const file = { ...tree, program: rewritten } as Node;
  return babel.transformFromAstSync(file, source, { configFile: false, babelrc: false }).code;
}
