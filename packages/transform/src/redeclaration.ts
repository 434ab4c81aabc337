// In sloppy code, a function in a block is also a variable of the surrounding function, unless that variable conflicts
// with a lexical declaration (ECMA-262 B.3.2). The parser reports such a conflict although the code is valid.

import { childrenOf, isFunction, type Node } from './ast.ts';

/** Whether a reported redeclaration is valid: a lexical declaration around a block with a function of its name. */
export function isAllowedRedeclaration(program: Node, first: number, second: number): boolean {
  const path = pathTo(program, first);
  const declaration = path.findLast((node) => node.type !== 'Identifier');
  if (declaration?.type !== 'FunctionDeclaration' || declaration.id?.start !== first) return false;
  const block = enclosingList(path.slice(0, path.indexOf(declaration)));
  return block !== null && !isBody(block) && block !== enclosingList(pathTo(program, second));
}

/** Nodes that contain a position, outermost first. */
function pathTo(program: Node, position: number): Node[] {
  const path = [program];
  for (;;) {
    const next = childrenOf(path.at(-1) as Node).find((child) => child.start <= position && position < child.end);
    if (next === undefined) return path;
    next.parent = path.at(-1) as Node;
    path.push(next);
  }
}

/** Node in whose statement list the innermost declaration is. A branch of an `if` counts as its own list. */
function enclosingList(path: readonly Node[]): Node | null {
  return (
    path.findLast((node) => /^(Program|BlockStatement|SwitchStatement|StaticBlock|IfStatement)$/.test(node.type)) ??
    null
  );
}

function isBody(list: Node): boolean {
  return list.type === 'Program' || list.type === 'StaticBlock' || (list.parent !== null && isFunction(list.parent));
}
