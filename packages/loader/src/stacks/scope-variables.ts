// Variables in scope at a position of a file, from the scopes of its code table.
import type { CodeTable, FunctionEntry, ScopeEntry } from '@turntable/transform';

type Scopes = CodeTable['scopes'];
type ScopeVariable = ScopeEntry['variables'][number];

interface VisibleVariable extends Pick<ScopeVariable, 'kind' | 'storage'> {
  readonly scope: ScopeEntry;
}

/** Why a variable cannot be assigned: it is a constant, or functions have copied its value instead of sharing it. */
export type AssignmentObstacle = 'constant' | 'copied';

const CONSTANT_KINDS: ReadonlySet<string> = new Set(['const', 'import', 'name']);

/** The innermost variable of each name at an offset. */
export function visibleVariables(offset: number, scopes: Scopes): Map<string, VisibleVariable> {
  const enclosing = scopes.filter(({ start, end }) => start <= offset && offset < end);
  const visible = new Map<string, VisibleVariable>();
  // Scopes are nested: of two that start together, the smaller one is the inner one.
  for (const scope of enclosing.toSorted((a, b) => a.start - b.start || b.end - a.end))
    for (const { name, kind, storage } of scope.variables) visible.set(name, { kind, storage, scope });
  return visible;
}

/** The variables in scope at an offset that cannot be assigned, by name. */
export function assignmentObstacles(
  offset: number,
  { scopes, functions }: Pick<CodeTable, 'scopes' | 'functions'>,
): Map<string, AssignmentObstacle> {
  const obstacles = new Map<string, AssignmentObstacle>();
  for (const [name, { kind, storage, scope }] of visibleVariables(offset, scopes)) {
    if (CONSTANT_KINDS.has(kind)) obstacles.set(name, 'constant');
    else if (storage === 'local' && functions.some((fn) => capturesFrom(scope, name, fn, scopes)))
      obstacles.set(name, 'copied');
  }
  return obstacles;
}

function capturesFrom(scope: ScopeEntry, name: string, { start, captures }: FunctionEntry, scopes: Scopes): boolean {
  return captures.includes(name) && visibleVariables(start, scopes).get(name)?.scope === scope;
}
