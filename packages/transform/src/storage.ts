// Resolves references and decides what each variable is stored in: a native local, a box that closures share, or a cell with
// a dead zone of its own. docs/transform.md, "Closures", has the rule and its reason.

import type { Node } from './ast.ts';
import type { FunctionInfo, Reference, Scope, Variable } from './scope.ts';

function isDeadUse({ node, initialises }: Reference, variable: Variable): boolean {
  const head = variable.scope.node;
  if (node === null || initialises || !variable.isLexical || !/^For(In|Of)Statement$/.test(head.type)) return false;
  return node.start >= head.right.start && node.end <= head.right.end;
}

/** Whether a place is inside the range of a node. */
function inside(position: number, node: Node): boolean {
  return position >= node.start && position < node.end;
}

/** Resolves every reference and decides the storage of every variable. */
export function resolve(references: readonly Reference[], variables: () => Iterable<Variable>): void {
  for (const reference of references) {
    for (let scope: Scope | null = reference.scope; scope !== null; scope = scope.parent) {
      const found = scope.variables.get(reference.name);
      if (found === undefined) continue;
      if (isDeadUse(reference, found)) reference.dead = true;
      else reference.variable = found;
      break;
    }
    if (reference.variable !== null && reference.writes && !reference.initialises) reference.variable.writes++;
  }
  for (const reference of references) {
    let variable = reference.variable;
    if (variable === null) continue;
    // The inner name of a class declaration is its outer one as long as nobody assigns that.
    if (variable.kind === 'name' && variable.scope.node.type === 'ClassDeclaration') {
      const outer = variable.scope.parent?.variables.get(variable.name);
      if (outer !== undefined && outer.kind === 'class' && outer.writes === 0 && !reference.writes) {
        variable = outer;
        reference.variable = outer;
      }
    }
    variable.references.push(reference);
    const owner = variable.scope.fn;
    if (reference.fn === owner) continue;
    variable.captured = true;
    if (reference.writes && variable.kind !== 'const') variable.nestedWrite = true;
    if (variable.isRoot) continue;
    for (let fn: FunctionInfo | null = reference.fn; fn !== null && fn !== owner; fn = fn.parent) {
      fn.captures.add(variable);
      if (fn.suspendable) variable.capturedBySuspendable = true;
    }
  }
  for (const variable of variables()) {
    decideStorage(variable);
    // The box of a pattern's name exists before the pattern is evaluated, and may be asked for by what the pattern evaluates.
    if (variable.storage === 'box' && variable.byPattern && variable.isLexical) variable.storage = 'cell';
  }
}

function decideStorage(variable: Variable): void {
  if (variable.isRoot || variable.kind === 'import' || variable.kind === 'name' || variable.kind === 'handle') return;
  const owner = variable.scope.fn;
  const early = isUsedEarly(variable);
  if (early && owner.suspendable && (variable.kind === 'param' || !variable.captured)) {
    variable.storage = 'cell';
    return;
  }
  if (variable.isLexical && owner.suspendable && crossesCases(variable)) {
    variable.storage = 'cell';
    return;
  }
  if (!variable.captured) return;
  if (!owner.suspendable && !variable.capturedBySuspendable) {
    // The activation is over at every job boundary, so only nested functions can still change the variable.
    if (variable.nestedWrite) variable.storage = 'box';
    return;
  }
  const hazard = variable.references.some((reference) => reference.fn !== owner && seesTooEarly(reference, variable));
  if (variable.isLexical && (hazard || (owner.suspendable && early))) {
    variable.storage = 'cell';
    return;
  }
  if (variable.writes > 0 && variable.kind !== 'const') variable.storage = 'box';
  else if (variable.kind === 'var' || (variable.kind === 'function' && variable.declarations > 1)) {
    const sets = variable.references.filter((reference) => reference.initialises);
    const inLoop = sets.some((set) => owner.loops.some(([start, end]) => set.position >= start && set.position < end));
    if (sets.length > 1 || (sets.length === 1 && (hazard || inLoop))) variable.storage = 'box';
  }
}

/** A switch can enter at a later case and find the variables of an earlier one uninitialised. */
function crossesCases(variable: Variable): boolean {
  const { node } = variable.scope;
  if (node.type !== 'SwitchStatement') return false;
  const home = node.cases.find((each) => inside(variable.declarationStart, each));
  return home !== undefined && variable.references.some((reference) => !inside(reference.position, home));
}

/** A use in the same function that stands before the declaration has finished. */
function isUsedEarly(variable: Variable): boolean {
  const owner = variable.scope.fn;
  // Async functions evaluate their parameters in the first step, as assignments.
  const isParameter = variable.kind === 'param' && owner.suspendable && owner.async && !owner.generator;
  if (!variable.isLexical && !isParameter) return false;
  return variable.references.some(
    (reference) =>
      reference.fn === owner &&
      !reference.initialises &&
      (reference.node?.start ?? reference.position) < Math.max(variable.declarationEnd, variable.settledAt) &&
      (reference.reads || reference.writes),
  );
}

function declarationOf(variable: Variable): Node {
  return { start: variable.declarationStart, end: Math.max(variable.declarationEnd, variable.settledAt) } as Node;
}

/** A closure could be created and used before the variable it captures has its value. */
function seesTooEarly(reference: Reference, variable: Variable): boolean {
  const owner = variable.scope.fn;
  let closure = reference.fn;
  let suspendable = closure.suspendable;
  while (closure.parent !== null && closure.parent !== owner) {
    closure = closure.parent;
    suspendable ||= closure.suspendable;
  }
  const hoisted = closure.node.type === 'FunctionDeclaration';
  const start = hoisted ? variable.scope.node.start : closure.node.start;
  const declaration = declarationOf(variable);
  const withinDeclaration = !hoisted && inside(closure.node.start, declaration);
  if (owner.suspendable) {
    if (withinDeclaration && variable.initialisedByCode) return true;
    if (owner.points.some((point) => point > start && point <= declaration.end)) return true;
  }
  if (!suspendable) return false;
  return !withinDeclaration && start < variable.declarationStart;
}
