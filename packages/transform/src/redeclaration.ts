// In sloppy code, a function in a block is also a variable of the surrounding function, unless that conflicts with a
// lexical declaration there (ECMA-262 B.3.2). The parser reports the conflict and ignores the exception.

import { childrenOf, isFunction, type Node } from './ast.ts';

/** Whether a redeclaration that the parser reports is a lexical one around a block with a function of its name. */
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

/** Node whose list the declarations belong to. The branch of an `if` is its own list. */
function enclosingList(path: readonly Node[]): Node | null {
  return (
    path.findLast((node) => /^(Program|BlockStatement|SwitchStatement|StaticBlock|IfStatement)$/.test(node.type)) ??
    null
  );
}

function isBody(list: Node): boolean {
  return list.type === 'Program' || list.type === 'StaticBlock' || (list.parent !== null && isFunction(list.parent));
}
