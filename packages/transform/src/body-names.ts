// Parameters with patterns or defaults have a scope around that of the body (ECMA-262 §10.2.11). The transform
// separates the two only if this is visible: if a parameter's default or key uses a name that the body redeclares.

import { boundIdentifiers, childrenOf, type Node, statements } from './ast.ts';
import { declarationOf } from './binder.ts';
import type { FunctionInfo, Reference } from './scope.ts';

/** Whether references in parameters would find names of the body if there were only one scope. */
export function bodyRedeclares(info: FunctionInfo, references: readonly Reference[]): boolean {
  const outerReferences = references.filter(
    (reference) => !(reference.initialises && reference.fn === info) && resolvesOutside(reference, info),
  );
  if (outerReferences.length === 0) return false;
  const names = namesDeclaredIn(info.node.body);
  // A parameter and a `var` of the same name differ only for closures in parameters, which keep the parameter.
  return outerReferences.some(({ name, fn }) => names.has(name) && (fn !== info || !info.scope.variables.has(name)));
}

function resolvesOutside({ name, scope }: Reference, info: FunctionInfo): boolean {
  for (let current = scope; current !== info.scope && current.parent !== null; current = current.parent)
    if (current.variables.has(name)) return false;
  return true;
}

function namesDeclaredIn(body: Node): Set<string> {
  const names = new Set<string>();
  for (const statement of statements(body)) {
    const node = declarationOf(statement);
    if (node === null || !/^(Function|Class)Declaration$/.test(node.type)) continue;
    if (node.id !== null) names.add(node.id.name);
  }
  addDeclaredNames(body, true, names);
  return names;
}

function addDeclaredNames(node: Node, isTop: boolean, names: Set<string>): void {
  for (const child of childrenOf(node)) {
    if (child.type === 'VariableDeclaration') {
      if (child.kind !== 'var' && !isTop) continue;
      for (const { id } of child.declarations) for (const bound of boundIdentifiers(id as Node)) names.add(bound.name);
    } else if (child.type === 'FunctionDeclaration' && !isTop && child.id !== null) {
      // In sloppy code, the function is a variable of the whole body.
      names.add(child.id.name);
    } else if (/Statement$|^SwitchCase$|^CatchClause$/.test(child.type)) addDeclaredNames(child, false, names);
  }
}
