// Resolves references, and decides on the storage of each variable: a native local, a box that closures share, or a
// cell with a dead zone. docs/internals/transform.md, "Closures", has the rule with its reason.

import type { Node } from './ast.ts';
import type { BindingPattern, FunctionInfo, Reference, Scope, Variable } from './scope.ts';

function isDeadUse({ node, position, initialises }: Reference, variable: Variable): boolean {
  if (initialises || !variable.isLexical) return false;
  const head = variable.scope.node;
  if (head.type !== 'ForInStatement' && head.type !== 'ForOfStatement') return false;
  // The reference for the reading part of a compound assignment has no node.
  return (node?.start ?? position) >= head.right.start && (node?.end ?? position) <= head.right.end;
}

interface SourceRange {
  readonly start: number;
  readonly end: number;
}

function isInRange(position: number, { start, end }: SourceRange): boolean {
  return position >= start && position < end;
}

/** Resolves every reference and decides the storage of every variable. */
export function resolveReferences(references: readonly Reference[], variables: () => Iterable<Variable>): void {
  for (const reference of references) {
    for (let scope: Scope | null = reference.scope; scope !== null; scope = scope.parent) {
      const found = scope.variables.get(reference.name);
      if (found === undefined) continue;
      if (isDeadUse(reference, found)) reference.isDead = true;
      else reference.variable = found;
      break;
    }
    if (reference.variable !== null && reference.writes && !reference.initialises) reference.variable.writeCount++;
  }
  for (const reference of references) {
    let variable = reference.variable;
    if (variable === null) continue;
    // The inner name of a class declaration is replaced by the outer name, unless one of them is assigned.
    if (variable.kind === 'name' && variable.scope.node.type === 'ClassDeclaration') {
      const outer = variable.scope.parent?.variables.get(variable.name);
      if (outer !== undefined && outer.kind === 'class' && outer.writeCount === 0 && !reference.writes) {
        variable = outer;
        reference.variable = outer;
      }
    }
    variable.references.push(reference);
    const owner = variable.scope.fn;
    if (reference.fn === owner) continue;
    variable.isCaptured = true;
    if (reference.writes && variable.kind !== 'const') variable.hasNestedWrite = true;
    if (variable.isRoot) continue;
    for (let fn: FunctionInfo | null = reference.fn; fn !== null && fn !== owner; fn = fn.parent) {
      fn.captures.add(variable);
      if (fn.isSuspendable) variable.isCapturedBySuspendable = true;
    }
  }
  for (const variable of variables()) decideStorage(variable);
  for (const [pattern, group] of Map.groupBy(variables(), (variable) => variable.pattern))
    if (pattern !== null) decidePatternStorage(pattern, group);
  for (const variable of variables()) {
    variable.mayStayDead =
      variable.isLexical &&
      variable.isCaptured &&
      !variable.isRoot &&
      variable.storage !== 'cell' &&
      isSeenUninitialised(variable);
  }
}

/** Whether a closure that captures the variable can run before the declaration has ended, or if it is never reached. */
function isSeenUninitialised(variable: Variable): boolean {
  const owner = variable.scope.fn;
  if (variable.scope.node.type === 'SwitchStatement') return true;
  return variable.references.some(({ fn }) => {
    if (fn === owner) return false;
    let closure = fn;
    while (closure.parent !== null && closure.parent !== owner) closure = closure.parent;
    return mayRunBefore(closure, variable, declarationRange(variable), new Set());
  });
}

/** Makes cells of a pattern's shared names if the pattern uses them: boxes, made after the pattern, lack dead zones. */
function decidePatternStorage(pattern: BindingPattern, group: readonly Variable[]): void {
  if (group.every((variable) => variable.storage === 'local') || group[0]?.kind === 'var') return;
  const isUsedIn = (variable: Variable, { start, end }: SourceRange): boolean =>
    variable.references.some(
      ({ node, initialises }) => node !== null && !initialises && node.start >= start && node.end <= end,
    );
  const isSeparate = group.some((variable) => variable.storage !== 'local' && isUsedIn(variable, pattern.node));
  for (const variable of group) {
    const { storage, isCaptured: captured } = variable;
    // Closures made before the declaration may already use the box, which does not exist yet. A cell does.
    if (pattern.inList && storage === 'box') variable.storage = 'cell';
    if (isSeparate && storage !== 'binding' && (isUsedIn(variable, pattern) || (pattern.inList && captured)))
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
    if (owner.hasTopLevelAwait && variable.isLexical && (early || isCapturedTooEarly(variable)))
      variable.storage = 'cell';
    return;
  }
  if (early && owner.isSuspendable && (variable.kind === 'param' || !variable.isCaptured)) {
    variable.storage = 'cell';
    return;
  }
  if (variable.isLexical && owner.isSuspendable && crossesCases(variable)) {
    variable.storage = 'cell';
    return;
  }
  if (!variable.isCaptured) return;
  if (!owner.isSuspendable && !variable.isCapturedBySuspendable) {
    // When the job ends, the activation is over, so only nested functions can change the variable afterwards.
    if (variable.hasNestedWrite) variable.storage = 'box';
    return;
  }
  const hazard = isCapturedTooEarly(variable);
  if (variable.hasDeadZone && (hazard || (owner.isSuspendable && early))) {
    variable.storage = 'cell';
    return;
  }
  if (variable.writeCount > 0 && variable.kind !== 'const') variable.storage = 'box';
  else if (variable.kind === 'var' || (variable.kind === 'function' && variable.declarationCount > 1)) {
    const initialisations = variable.references.filter((reference) => reference.initialises);
    const isInLoop = initialisations.some((set) =>
      owner.loops.some(([start, end]) => set.position >= start && set.position < end),
    );
    if (initialisations.length > 1 || (initialisations.length === 1 && (hazard || isInLoop))) variable.storage = 'box';
  }
}

/** Whether a parameter must change together with an element of `arguments`, although a frame has a copy of one. */
function isSharedWithArguments(variable: Variable): boolean {
  const { fn } = variable.scope;
  if (variable.kind !== 'param' || !fn.hasMappedArguments) return false;
  if (!fn.isSuspendable) return fn.leaksArguments && variable.isCapturedBySuspendable;
  // One of the writes is the parameter's own initialisation.
  return fn.leaksArguments || variable.references.filter((reference) => reference.writes).length > 1;
}

/** Whether a switch can be entered at a later case, before the variable of an earlier case is initialised. */
function crossesCases(variable: Variable): boolean {
  const { node } = variable.scope;
  if (node.type !== 'SwitchStatement') return false;
  const declaringCase = node.cases.find((each) => isInRange(variable.declarationStart, each));
  return (
    declaringCase !== undefined &&
    variable.references.some((reference) => !isInRange(reference.position, declaringCase))
  );
}

/** Whether the function uses its own variable before the end of the declaration. */
function isUsedEarly(variable: Variable): boolean {
  if (!variable.hasDeadZone) return false;
  const owner = variable.scope.fn;
  const { end } = declarationRange(variable);
  return variable.references.some(
    (reference) =>
      reference.fn === owner &&
      !reference.initialises &&
      (reference.node?.start ?? reference.position) < end &&
      (reference.reads || reference.writes),
  );
}

function declarationRange(variable: Variable): SourceRange {
  return { start: variable.declarationStart, end: Math.max(variable.declarationEnd, variable.fullDeclarationEnd) };
}

function isCapturedTooEarly(variable: Variable): boolean {
  const owner = variable.scope.fn;
  return variable.references.some((reference) => reference.fn !== owner && capturesTooEarly(reference, variable));
}

/** Whether a closure may be made and called before the captured variable has its value. */
function capturesTooEarly(reference: Reference, variable: Variable): boolean {
  const owner = variable.scope.fn;
  let closure = reference.fn;
  let isSuspendable = closure.isSuspendable;
  while (closure.parent !== null && closure.parent !== owner) {
    closure = closure.parent;
    isSuspendable ||= closure.isSuspendable;
  }
  const declaration = declarationRange(variable);
  const isHoistedClosure = isHoisted(closure);
  if (!isHoistedClosure && isInRange(closure.node.start, declaration)) {
    return variable.isInitialisedByCode && (owner.isSuspendable || isSuspendable);
  }
  if (owner.isSuspendable && !variable.isRoot) {
    // A suspension is between the closure and the declaration, so they are in different runs of the step.
    const start = isHoistedClosure ? variable.scope.node.start : closure.node.start;
    if (owner.suspensionPoints.some((point) => point > start && point <= declaration.end)) return true;
  }
  return (owner.isSuspendable || isSuspendable) && mayRunBefore(closure, variable, declaration, new Set());
}

function isHoisted(fn: FunctionInfo): boolean {
  return fn.node.type === 'FunctionDeclaration';
}

/** Whether a function made in the scope of a variable can have been called before the variable's declaration ends. */
function mayRunBefore(
  closure: FunctionInfo,
  variable: Variable,
  { end }: SourceRange,
  visited: Set<FunctionInfo>,
): boolean {
  if (visited.has(closure)) return false;
  visited.add(closure);
  if (!isHoisted(closure) && closure.node.start >= end) return false;
  const holder = holdingVariable(closure);
  if (holder === null || !isWithinScope(holder.scope, variable.scope)) return true;
  return holder.references.some((use) => {
    if (use.initialises) return false;
    if (use.node?.parent?.type === 'ExportSpecifier') return true;
    if (!use.reads && !use.writes) return false;
    let user = use.fn;
    if (user === closure.parent) return (use.node?.start ?? use.position) < end;
    while (user.parent !== null && user.parent !== closure.parent) user = user.parent;
    return mayRunBefore(user, variable, { start: 0, end }, visited);
  });
}

/** Variable through which alone a function can be reached: its name, its class's name, or a constant; null if none. */
function holdingVariable(closure: FunctionInfo): Variable | null {
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

function isWithinScope(inner: Scope, outer: Scope): boolean {
  for (let scope: Scope | null = inner; scope !== null; scope = scope.parent) if (scope === outer) return true;
  return false;
}
