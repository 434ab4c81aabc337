// Calls in debug mode. A function that may call others reports the start and the end of each of its calls while a stop is
// near: `tt$s && tt$n(); try { … } finally { tt$s && tt$u(); }`. Any other function reports nothing. The probe of its
// first statement marks the start, and the call has ended when other code runs.
import { childrenOf, isClass, isFunction, type Node, statements } from './ast.ts';
import type { FunctionInfo } from './scope.ts';

/** Expressions and statements that call a function, or resume a generator. */
const CALLING_NODE =
  /^(Call|New|TaggedTemplate|Await|Yield|Import)Expression$|^ForOfStatement$|^SpreadElement$|^ArrayPattern$/;
const REPEATING_LOOP = /^(Do)?WhileStatement$/;

/** Whether code may call functions. Getters and conversions to primitive values do not count. */
export function mayCallFunctions(node: Node): boolean {
  if (isFunction(node)) return false;
  return CALLING_NODE.test(node.type) || isClass(node) || childrenOf(node).some(mayCallFunctions);
}

/** Whether a statement or loop test, the first position of a function, can be reached again in the same call. */
export function isRepeatedInCall(node: Node, fn: Node): boolean {
  for (let at: Node | null = node; at !== null && at !== fn; at = at.parent)
    if (REPEATING_LOOP.test(at.type)) return true;
  return false;
}

/** Whether the statements of a function can be put into a block. A block cannot declare a function's name twice. */
export function fitsIntoBlock({ node }: FunctionInfo): boolean {
  const { body } = node;
  const list = Array.isArray(body) ? body : body.type === 'BlockStatement' ? statements(body) : [];
  return list.every(
    ({ type, id }) => type !== 'FunctionDeclaration' || (id?.ref?.variable?.declarationCount ?? 1) === 1,
  );
}
