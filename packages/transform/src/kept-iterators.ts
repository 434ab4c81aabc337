// Calls whose iterator outlives the expression: `const it = list.values()`, `yield* map.entries()`, the head of a
// `for-of` whose body suspends. Such calls go through `keep`, so that capture can read the iterator. A call stays
// unchanged if its result is consumed at once (`[...map.keys()]`, `map.keys().next().value`), or passed to a call that
// does not seem to store it. A method that returns an iterator checks `keeping.on`, which a caller sets if it keeps the
// result. Keeping `list.values().map(f)` keeps both iterators.

import { describeExpression } from './expression-description.ts';
import type { CodeEmitter } from './code-emitter.ts';
import type { Code } from './code.ts';
import type { Node } from './ast.ts';

const ITERATOR_METHODS: ReadonlySet<string> = new Set(['entries', 'keys', 'values']);
/** Methods of an iterator that return another iterator on top of it. */
const HELPER_METHODS: ReadonlySet<string> = new Set(['map', 'filter', 'take', 'drop', 'flatMap']);

/** Methods that store their arguments. */
const STORING_METHODS: ReadonlySet<string> = new Set(['set', 'add', 'push', 'unshift', 'fill', 'resolve', 'enqueue']);
/** Classes whose constructors consume an iterator argument. Constructors of other classes might store it. */
const CONSUMING_CLASSES = /^(?:(?:Weak)?(?:Map|Set)|(?:\w+)?Array|Promise|URLSearchParams|Headers|FormData|Blob)$/;

/** What keeps an iterator: a variable or property, the caller, a delegation, a suspending loop, or a helper. */
export type KeptUse = 'stored' | 'passed on' | 'delegated' | 'iterated' | 'helped';

/** What keeps the result of `call`; null if nothing does, or if it is no iterator. Uses the parents of nodes. */
export function keptUse(call: Node): KeptUse | null {
  const { callee } = call;
  if (call.optional || callee.type !== 'MemberExpression' || callee.optional) return null;
  if (callee.object.type === 'Super' || !makesIterator(callee, call.arguments)) return null;
  const node = chosenExpression(call);
  const { parent } = node;
  // With an iterator helper on top, the cost of keeping the iterator is small in comparison.
  let inner = keptExpression(call);
  while (inner.type === 'ParenthesizedExpression') inner = inner.expression as Node;
  const isHelped = inner !== call;
  switch (parent?.type) {
    case 'VariableDeclarator':
      return parent.id?.type === 'Identifier' ? 'stored' : null;
    case 'AssignmentExpression':
      return parent.operator === '=' && /^(Identifier|MemberExpression)$/.test(parent.left.type) ? 'stored' : null;
    case 'PropertyDefinition':
    case 'Property':
      return parent.value === node ? 'stored' : null;
    case 'YieldExpression':
      return parent.delegate ? 'delegated' : null;
    case 'ForOfStatement':
      return parent.right === node && !parent.await ? 'iterated' : null;
    case 'ReturnStatement':
      if (isHelped) return 'helped';
      return isRepeatable(callee.object) ? 'passed on' : null;
    case 'ArrowFunctionExpression':
      if (isHelped && parent.body === node) return 'helped';
      return parent.body === node && isRepeatable(callee.object) ? 'passed on' : null;
    case 'ArrayExpression':
      return 'stored';
    case 'AssignmentPattern':
      return parent.right === node ? 'stored' : null;
    case 'CallExpression':
    case 'NewExpression':
      if (parent.callee === node) return null;
      if (isHelped) return 'helped';
      return isStoringCall(parent) ? 'stored' : null;
    default:
      return null;
  }
}

/** The call, or the last helper on top of it as in `list.values().map(f).take(2)`, with parentheses. */
function keptExpression(call: Node): Node {
  let node = call;
  for (;;) {
    while (node.parent?.type === 'ParenthesizedExpression') node = node.parent;
    const member = node.parent;
    const isHelper =
      member?.type === 'MemberExpression' &&
      member.object === node &&
      !member.computed &&
      !member.optional &&
      HELPER_METHODS.has(member.property.name as string) &&
      member.parent?.type === 'CallExpression' &&
      member.parent.callee === member &&
      !member.parent.optional;
    if (!isHelper) return node;
    node = member.parent as Node;
  }
}

/** The whole expression that may evaluate to the kept iterator, including `?:`, `??` and `||` around it. */
function chosenExpression(call: Node): Node {
  let node = keptExpression(call);
  for (;;) {
    const { parent } = node;
    const isChoice =
      (parent?.type === 'ConditionalExpression' && parent.test !== node) ||
      (parent?.type === 'LogicalExpression' && (parent.operator !== '&&' || parent.right === node)) ||
      parent?.type === 'ParenthesizedExpression';
    if (!isChoice) return node;
    node = parent as Node;
  }
}

/** Whether a call is likely to store an argument. */
function isStoringCall({ type, callee }: Node): boolean {
  if (type === 'NewExpression') return callee.type !== 'Identifier' || !CONSUMING_CLASSES.test(callee.name as string);
  return callee.type === 'MemberExpression' && !callee.computed && STORING_METHODS.has(callee.property.name as string);
}

function makesIterator({ property, computed }: Node, args: readonly Node[]): boolean {
  if (computed) {
    return (
      args.length === 0 &&
      property.type === 'MemberExpression' &&
      !property.computed &&
      property.property.name === 'iterator' &&
      property.object.type === 'Identifier' &&
      property.object.name === 'Symbol'
    );
  }
  if (property.type !== 'Identifier') return false;
  if (property.name !== 'matchAll') return args.length === 0 && ITERATOR_METHODS.has(property.name);
  // The argument is evaluated before the method is looked up, so its evaluation must have no visible effects.
  const argument = args[0];
  return (
    args.length === 1 && (argument?.type === 'Identifier' || (argument?.type === 'Literal' && 'regex' in argument))
  );
}

/** Whether evaluating a node twice has no visible effect. */
function isRepeatable(node: Node): boolean {
  if (node.type === 'MemberExpression') return !node.computed && !node.optional && isRepeatable(node.object);
  return node.type === 'Identifier' || node.type === 'ThisExpression';
}

/** Code of a call whose result is kept. @param plainCode code of the call as it is */
export function emitKept(e: CodeEmitter, call: Node, use: KeptUse, plainCode: Code): Code {
  switch (use) {
    case 'passed on':
      return [`(${e.helper('keeping')}.on ? `, emitKeepCall(e, call), ' : ', plainCode, ')'];
    case 'stored': {
      const { object } = call.callee;
      if (diesWithCall(call)) return isRepeatable(object) ? emitKept(e, call, 'passed on', plainCode) : plainCode;
      if (!isRepeatable(object)) return emitKeepCall(e, call);
      // If the method is one of the program's, it checks `keeping.on` to find out whether its caller keeps the result.
      return [
        `${e.helper('kept')}((${e.helper('keeping')}.on = true, `,
        plainCode,
        '), ',
        e.emit(object),
        ', ',
        ...emitKeyAndArgument(e, call, ''),
        ')',
      ];
    }
    case 'delegated':
    case 'helped':
      return emitKeepCall(e, call);
    case 'iterated': {
      const loop = loopOf(call);
      return loop.body.suspends === true || loop.left.suspends === true ? emitKeepCall(e, call) : plainCode;
    }
  }
}

/** Whether the result is only in a local variable, of a function that ends within the current job. */
function diesWithCall(call: Node): boolean {
  const node = chosenExpression(call).parent as Node;
  const target = node.type === 'VariableDeclarator' ? node.id : node.type === 'AssignmentExpression' ? node.left : null;
  const variable = target?.ref?.variable;
  if (variable === undefined || variable === null || variable.isRoot) return false;
  return !variable.isCaptured && variable.storage === 'local' && !variable.scope.fn.isSuspendable;
}

function emitKeepCall(e: CodeEmitter, call: Node): Code {
  const text = `, ${JSON.stringify(describeExpression(call.callee))}`;
  return [`${e.helper('keep')}(`, e.emit(call.callee.object), ', ', ...emitKeyAndArgument(e, call, text), ')'];
}

function emitKeyAndArgument(e: CodeEmitter, { callee, arguments: [argument] }: Node, between: string): Code[] {
  const key = callee.computed ? e.emit(callee.property) : JSON.stringify(callee.property.name);
  return argument === undefined ? [key, between] : [key, between, ', ', e.emit(argument)];
}

/** The `for-of` that iterates the result of a call. */
function loopOf(call: Node): Node {
  return chosenExpression(call).parent as Node;
}
