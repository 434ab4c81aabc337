// Values as a tree whose parts are loaded on demand. Open rows are identified by path and stay open at other positions.
// Values whose previews differ from those at the previous position are marked.
import type { ResultOf, ValueInfo } from '@turntable/time-machine/protocol';
import { expressionOf } from '@turntable/time-machine/client';

export type TreeEntry = ResultOf<'variables'>['entries'][number];

export interface LoadedParts {
  readonly entries: readonly TreeEntry[];
  readonly total: number;
}

export interface TreeRow {
  readonly path: string;
  readonly depth: number;
  readonly name: string;
  readonly kind: string;
  readonly value: ValueInfo | undefined;
  readonly isNotKept?: boolean | undefined;
  /** The expression of the value, or of the nearest enclosing object that has an expression. */
  readonly expression: string | undefined;
  /** Whether the expression is that of the value itself, not of an enclosing object. */
  readonly isExact: boolean;
  readonly isOpen: boolean;
  readonly isChanged: boolean;
  /** The number of parts that are not loaded, in the row that replaces them; undefined in the row of a value. */
  readonly remaining: number | undefined;
}

export interface ValueTree {
  readonly roots: readonly TreeEntry[];
  /** Loaded parts by the id of their object. */
  readonly parts: ReadonlyMap<number, LoadedParts>;
  readonly openPaths: ReadonlySet<string>;
  /** Previews at the previous position by path; empty to mark no changes. */
  readonly previousPreviews: ReadonlyMap<string, string>;
}

export const EMPTY_TREE: ValueTree = { roots: [], parts: new Map(), openPaths: new Set(), previousPreviews: new Map() };

const PATH_SEPARATOR = '\u0000';

type ExpressionParent = Parameters<typeof expressionOf>[1];

/** What the rows of an object's parts inherit from the object. */
interface RowParent {
  readonly parent: ExpressionParent;
  /** The expression of the object, or of the nearest enclosing object that has an expression. */
  readonly nearestExpression: string | undefined;
}

export function treeRows({ roots, parts, openPaths, previousPreviews }: ValueTree): TreeRow[] {
  const rows: TreeRow[] = [];
  const visit = (
    entries: readonly TreeEntry[],
    pathPrefix: string,
    depth: number,
    { parent, nearestExpression }: RowParent,
  ): void => {
    entries.forEach((entry, i) => {
      const { name, kind, value, isNotKept } = entry;
      // Entries of a map may have equal names, since names are previews of keys.
      const path = `${pathPrefix}${kind === 'inner' ? `${i}:` : ''}${name}`;
      const own = expressionOf(entry, parent);
      const expression = own ?? nearestExpression;
      const loaded = value?.id === undefined ? undefined : parts.get(value.id);
      const isOpen = openPaths.has(path) && value?.id !== undefined;
      const previous = previousPreviews.get(path);
      const isChanged =
        previousPreviews.size > 0 && previous !== value?.preview && (previous !== undefined || depth === 0);
      rows.push({
        path,
        depth,
        name,
        kind,
        value,
        isNotKept,
        expression,
        isExact: own !== undefined,
        isOpen,
        isChanged,
        remaining: undefined,
      });
      if (!isOpen || loaded === undefined) return;
      const innerPrefix = `${path}${PATH_SEPARATOR}`;
      visit(loaded.entries, innerPrefix, depth + 1, {
        parent: { expression: own, value },
        nearestExpression: expression,
      });
      const remaining = loaded.total - loaded.entries.length;
      if (remaining > 0)
        rows.push({
          path: `${innerPrefix}…`,
          depth: depth + 1,
          name: '',
          kind: '',
          value,
          expression: undefined,
          isExact: false,
          isOpen: false,
          isChanged: false,
          remaining,
        });
    });
  };
  visit(roots, '', 0, { parent: undefined, nearestExpression: undefined });
  return rows;
}

/** Returns the previews of all rows, to compare with those at the next position. */
export function previewsByPath(tree: ValueTree): Map<string, string> {
  return new Map(treeRows(tree).flatMap(({ path, value }) => (value === undefined ? [] : [[path, value.preview]])));
}

/** Returns the ids of open values whose parts are not loaded. */
export function unloadedIds(tree: ValueTree): number[] {
  const ids = treeRows(tree).flatMap(({ isOpen, value }) =>
    isOpen && value?.id !== undefined && !tree.parts.has(value.id) ? [value.id] : [],
  );
  return [...new Set(ids)];
}
