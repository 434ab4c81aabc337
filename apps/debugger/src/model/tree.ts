// Values as a tree whose parts are asked for when somebody opens them. What was open stays open from place to place, by its path; what is not what it was at the place before is marked.
import type { ResultOf, ToldValue } from '@turntable/time-machine/protocol';
import { expressionOf } from '@turntable/time-machine/client';

export type Entry = ResultOf<'variables'>['entries'][number];

export interface Parts {
  readonly entries: readonly Entry[];
  readonly total: number;
}

export interface TreeRow {
  readonly path: string;
  readonly depth: number;
  readonly name: string;
  readonly is: string;
  readonly value: ToldValue | undefined;
  /** What leads to it, or, if no expression does, to the nearest object around it that one leads to. */
  readonly expression: string | undefined;
  /** Whether that is the value itself. */
  readonly isItself: boolean;
  readonly isOpen: boolean;
  readonly isChanged: boolean;
  /** How many parts are not shown: the row stands for these. */
  readonly more: number | undefined;
}

export interface Tree {
  readonly roots: readonly Entry[];
  /** By the number of a value. */
  readonly parts: ReadonlyMap<number, Parts>;
  readonly open: ReadonlySet<string>;
  /** What was shown at the place before, by path. */
  readonly before: ReadonlyMap<string, string>;
}

export const NO_TREE: Tree = { roots: [], parts: new Map(), open: new Set(), before: new Map() };

const SEPARATOR = '\u0000';

type Within = Parameters<typeof expressionOf>[1];

/** What rows below one stand in. */
interface Above {
  readonly within: Within;
  /** The nearest expression. */
  readonly around: string | undefined;
}

export function rowsOfTree({ roots, parts, open, before }: Tree): TreeRow[] {
  const rows: TreeRow[] = [];
  const visit = (entries: readonly Entry[], under: string, depth: number, { within, around }: Above): void => {
    entries.forEach((entry, i) => {
      const { name, is, value } = entry;
      // A map may have two entries of one name.
      const path = `${under}${is === 'inner' ? `${i}:` : ''}${name}`;
      const own = expressionOf(entry, within);
      const expression = own ?? around;
      const those = value?.id === undefined ? undefined : parts.get(value.id);
      const isOpen = open.has(path) && value?.id !== undefined;
      const was = before.get(path);
      const isChanged = before.size > 0 && was !== value?.preview && (was !== undefined || depth === 0);
      rows.push({
        path,
        depth,
        name,
        is,
        value,
        expression,
        isItself: own !== undefined,
        isOpen,
        isChanged,
        more: undefined,
      });
      if (!isOpen || those === undefined) return;
      const inner = `${path}${SEPARATOR}`;
      visit(those.entries, inner, depth + 1, { within: { expression: own, value }, around: expression });
      const more = those.total - those.entries.length;
      if (more > 0)
        rows.push({
          path: `${inner}…`,
          depth: depth + 1,
          name: '',
          is: '',
          value,
          expression: undefined,
          isItself: false,
          isOpen: false,
          isChanged: false,
          more,
        });
    });
  };
  visit(roots, '', 0, { within: undefined, around: undefined });
  return rows;
}

/** What is shown, to be held against what is shown at the next place. */
export function previews(tree: Tree): Map<string, string> {
  return new Map(rowsOfTree(tree).flatMap(({ path, value }) => (value === undefined ? [] : [[path, value.preview]])));
}

/** The numbers of values that are open and whose parts are not there yet. */
export function wanted(tree: Tree): number[] {
  const ids = rowsOfTree(tree).flatMap(({ isOpen, value }) =>
    isOpen && value?.id !== undefined && !tree.parts.has(value.id) ? [value.id] : [],
  );
  return [...new Set(ids)];
}
