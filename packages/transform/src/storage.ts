// Resolves references and decides what each variable is stored in: a native local, a box that closures share, or a cell with
// a dead zone of its own. docs/transform.md, "Closures", has the rule and its reason.

import type { Node } from './ast.ts';
import type { BindingPattern, FunctionInfo, Reference, Scope, Variable } from './scope.ts';

function isDeadUse({ node, position, initialises }: Reference, variable: Variable): boolean {
  if (initialises || !variable.isLexical) return false;
  const head = variable.scope.node;
  if (head.type !== 'ForInStatement' && head.type !== 'ForOfStatement') return false;
  // One that stands for the reading part of an assignment has no node of its own.
  return (node?.start ?? position) >= head.right.start && (node?.end ?? position) <= head.right.end;
}

interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Whether a place is inside a stretch of the source. */
function inside(position: number, { start, end }: Stretch): boolean {
  return position >= start && position < end;
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
  for (const variable of variables()) decideStorage(variable);
  for (const [pattern, group] of Map.groupBy(variables(), (variable) => variable.pattern))
    if (pattern !== null) decideTogether(pattern, group);
  for (const variable of variables()) {
    variable.mayStayDead =
      variable.isLexical &&
      variable.captured &&
      !variable.isRoot &&
      variable.storage !== 'cell' &&
      isSeenDead(variable);
  }
}

/** A closure that captures the variable could be had before its declaration has ended, or without it. */
function isSeenDead(variable: Variable): boolean {
  const owner = variable.scope.fn;
  if (variable.scope.node.type === 'SwitchStatement') return true;
  return variable.references.some(({ fn }) => {
    if (fn === owner) return false;
    let closure = fn;
    while (closure.parent !== null && closure.parent !== owner) closure = closure.parent;
    return mayRunBefore(closure, variable, declarationOf(variable), new Set());
  });
}

/**
 * A pattern whose own parts use a shared name is evaluated after its names have been made, so that V8 no longer keeps the
 * dead zones of any of them.
 */
function decideTogether(pattern: BindingPattern, group: readonly Variable[]): void {
  if (group.every((variable) => variable.storage === 'local') || group[0]?.kind === 'var') return;
  const isUsedIn = (variable: Variable, { start, end }: Stretch): boolean =>
    variable.references.some(
      ({ node, initialises }) => node !== null && !initialises && node.start >= start && node.end <= end,
    );
  const separate = group.some((variable) => variable.storage !== 'local' && isUsedIn(variable, pattern.node));
  for (const variable of group) {
    const { storage, captured } = variable;
    // A box exists before the pattern is evaluated, and closures made earlier may ask for it.
    if (pattern.inList && storage === 'box') variable.storage = 'cell';
    if (separate && storage !== 'binding' && (isUsedIn(variable, pattern) || (pattern.inList && captured)))
      variable.storage = 'cell';
  }
}

function decideStorage(variable: Variable): void {
  if (variable.kind === 'import' || variable.kind === 'name' || variable.kind === 'handle') return;
  const owner = variable.scope.fn;
  if (isSharedWithArguments(variable)) {
    variable.storage = 'box';
    return;
  }
  const early = isUsedEarly(variable);
  if (variable.isRoot) {
    if (owner.topLevelAwait && variable.isLexical && (early || isSeenTooEarly(variable))) variable.storage = 'cell';
    return;
  }
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
  const hazard = isSeenTooEarly(variable);
  if (variable.hasDeadZone && (hazard || (owner.suspendable && early))) {
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

/** A parameter that natively changes with `arguments`, or `arguments` with it, though one of them is copied into a frame. */
function isSharedWithArguments(variable: Variable): boolean {
  const { fn } = variable.scope;
  if (variable.kind !== 'param' || !fn.mapsArguments) return false;
  if (!fn.suspendable) return fn.givesArguments && variable.capturedBySuspendable;
  // One write is the parameter's own initialisation.
  return fn.givesArguments || variable.references.filter((reference) => reference.writes).length > 1;
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
  if (!variable.hasDeadZone) return false;
  const owner = variable.scope.fn;
  const { end } = declarationOf(variable);
  return variable.references.some(
    (reference) =>
      reference.fn === owner &&
      !reference.initialises &&
      (reference.node?.start ?? reference.position) < end &&
      (reference.reads || reference.writes),
  );
}

function declarationOf(variable: Variable): Stretch {
  return { start: variable.declarationStart, end: Math.max(variable.declarationEnd, variable.settledAt) };
}

function isSeenTooEarly(variable: Variable): boolean {
  const owner = variable.scope.fn;
  return variable.references.some((reference) => reference.fn !== owner && seesTooEarly(reference, variable));
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
  const declaration = declarationOf(variable);
  const hoisted = isHoisted(closure);
  if (!hoisted && inside(closure.node.start, declaration)) {
    return variable.initialisedByCode && (owner.suspendable || suspendable);
  }
  if (owner.suspendable && !variable.isRoot) {
    // The closure belongs to another run of the step than the declaration.
    const start = hoisted ? variable.scope.node.start : closure.node.start;
    if (owner.points.some((point) => point > start && point <= declaration.end)) return true;
  }
  return (owner.suspendable || suspendable) && mayRunBefore(closure, variable, declaration, new Set());
}

function isHoisted(fn: FunctionInfo): boolean {
  return fn.node.type === 'FunctionDeclaration';
}

/** Whether a function made in the scope of a variable can have been called when the variable's declaration ends. */
function mayRunBefore(closure: FunctionInfo, variable: Variable, { end }: Stretch, known: Set<FunctionInfo>): boolean {
  if (known.has(closure)) return false;
  known.add(closure);
  if (!isHoisted(closure) && closure.node.start >= end) return false;
  const holder = holderOf(closure);
  if (holder === null || !isInside(holder.scope, variable.scope)) return true;
  return holder.references.some((use) => {
    if (use.initialises) return false;
    if (use.node?.parent?.type === 'ExportSpecifier') return true;
    if (!use.reads && !use.writes) return false;
    let user = use.fn;
    if (user === closure.parent) return (use.node?.start ?? use.position) < end;
    while (user.parent !== null && user.parent !== closure.parent) user = user.parent;
    return mayRunBefore(user, variable, { start: 0, end }, known);
  });
}

/** The only variable that leads to a function, as long as nobody reads it: its name, its class's, or the constant it is. */
function holderOf(closure: FunctionInfo): Variable | null {
  let { node } = closure;
  if (closure.kind === 'block' || (closure.kind === 'field' && node.static)) return null;
  const member = closure.kind === 'field' ? node : node.parent;
  if (member?.type === 'PropertyDefinition' || (member?.type === 'MethodDefinition' && member.value === node)) {
    node = (member.parent as Node).parent as Node;
  }
  let { parent } = node;
  while (parent?.type === 'ParenthesizedExpression') parent = parent.parent;
  if (parent?.type.startsWith('Export') === true) return null;
  if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') return node.id?.ref?.variable ?? null;
  if (parent?.type !== 'VariableDeclarator' || parent.parent?.parent?.type.startsWith('Export') === true) return null;
  const id = parent.id as Node;
  return id.type === 'Identifier' ? (id.ref?.variable ?? null) : null;
}

function isInside(inner: Scope, outer: Scope): boolean {
  for (let scope: Scope | null = inner; scope !== null; scope = scope.parent) if (scope === outer) return true;
  return false;
}
