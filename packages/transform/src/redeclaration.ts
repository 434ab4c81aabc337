// In sloppy code a function in a block is a variable of the function around it too, unless that would be in conflict with a
// lexical declaration there (ECMA-262 B.3.2). The parser sees the conflict and not the exception.

import { childrenOf, isFunction, type Node } from './ast.ts';

/** Whether what the parser calls a second declaration is a lexical one around a block with a function of its name. */
export function isAllowedRedeclaration(program: Node, first: number, second: number): boolean {
  const path = pathTo(program, first);
  const declaration = path.findLast((node) => node.type !== 'Identifier');
  if (declaration?.type !== 'FunctionDeclaration' || declaration.id?.start !== first) return false;
  const block = enclosingList(path.slice(0, path.indexOf(declaration)));
  return block !== null && !isBody(block) && block !== enclosingList(pathTo(program, second));
}

/** The nodes that hold a place, outermost first. */
function pathTo(program: Node, position: number): Node[] {
  const path = [program];
  for (;;) {
    const next = childrenOf(path.at(-1) as Node).find((child) => child.start <= position && position < child.end);
    if (next === undefined) return path;
    next.parent = path.at(-1) as Node;
    path.push(next);
  }
}

/** What the declarations of a list belong to; the branch of an `if` is a list of its own. */
function enclosingList(path: readonly Node[]): Node | null {
  return (
    path.findLast((node) => /^(Program|BlockStatement|SwitchStatement|StaticBlock|IfStatement)$/.test(node.type)) ??
    null
  );
}

function isBody(list: Node): boolean {
  return list.type === 'Program' || list.type === 'StaticBlock' || (list.parent !== null && isFunction(list.parent));
}
