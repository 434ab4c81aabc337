// A tree of values that is opened part by part, and asked where its parts come from.
import type { JSX, TargetedKeyboardEvent } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { Branches } from '../model/branches.ts';
import { rowsOfTree, type Tree, type TreeRow } from '../model/tree.ts';

interface TreeProps {
  readonly label: string;
  readonly tree: Tree;
  readonly branches: Branches;
  /** What is shown is of another place. */
  readonly isOld: boolean;
  readonly asking: Asking;
}

/** What is asked of a value, by the expression that leads to it. */
export interface Asking {
  wrote(expression: string): void;
  sent(expression: string): void;
}

export function TreeView({ label, tree, branches, isOld, asking }: TreeProps): JSX.Element {
  const rows = useMemo(() => rowsOfTree(tree), [tree]);
  const list = useRef<HTMLDivElement>(null);

  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const items = [...(list.current?.querySelectorAll<HTMLElement>('[role="treeitem"]') ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const row = rows[at];
    if (row === undefined) return;
    if (event.key === 'ArrowDown') items[at + 1]?.focus();
    else if (event.key === 'ArrowUp') items[at - 1]?.focus();
    else if (event.key === 'ArrowRight' && !row.isOpen) open(branches, row);
    else if (event.key === 'ArrowLeft' && row.isOpen) open(branches, row);
    else if (event.key === 'ArrowLeft')
      items[rows.findLastIndex(({ depth }, i) => i < at && depth < row.depth)]?.focus();
    else if (event.key === 'Enter' || event.key === ' ') open(branches, row);
    else if (event.key === 'y') ask(row, asking.wrote);
    else if (event.key === 'f') ask(row, asking.sent);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div class={isOld ? 'tree is-old' : 'tree'} role="tree" aria-label={label} ref={list} onKeyDown={onKeyDown}>
      {rows.map((row, i) => (
        <Row key={row.path} row={row} isFirst={i === 0} branches={branches} asking={asking} />
      ))}
    </div>
  );
}

function open(branches: Branches, { path, value, more }: TreeRow): void {
  if (value?.id === undefined) return;
  if (more === undefined) void branches.toggle(path);
  else void branches.more(value.id);
}

function ask({ expression }: TreeRow, its: (expression: string) => void): void {
  if (expression !== undefined) its(expression);
}

interface RowProps {
  readonly row: TreeRow;
  readonly isFirst: boolean;
  readonly branches: Branches;
  readonly asking: Asking;
}

function Row({ row, isFirst, branches, asking }: RowProps): JSX.Element {
  const { depth, name, is, value, isOpen, isChanged, more, expression, isItself } = row;
  const hasParts = value?.id !== undefined && more === undefined;
  return (
    <div
      class={`tree-row${isChanged ? ' is-changed' : ''}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-expanded={hasParts ? isOpen : undefined}
      tabIndex={isFirst ? 0 : -1}
      style={{ paddingLeft: `${8 + depth * 14}px` }}
      title={isChanged ? 'Not what it was at the place before' : undefined}
      onClick={(event) => {
        event.currentTarget.focus();
        open(branches, row);
      }}
    >
      {more === undefined ? (
        <>
          <span class="twist" aria-hidden="true">
            {hasParts ? (isOpen ? '▾' : '▸') : ''}
          </span>
          <span class={is === 'inner' || is === 'property' ? 'name' : 'name is-variable'}>{name}</span>
          <span class="quiet">: </span>
          <span class={`value is-${value?.kind ?? 'nothing'}`}>
            {value?.preview ?? (is === 'accessor' ? '(accessor)' : '(no value yet)')}
          </span>
          {expression !== undefined && value !== undefined && (
            <AskButtons expression={expression} isAround={!isItself} asking={asking} />
          )}
        </>
      ) : (
        <span class="link">{more.toLocaleString('en-US')} more</span>
      )}
    </div>
  );
}

/** Who has written something, and where it was sent from. */
export function AskButtons({
  expression,
  isAround = false,
  asking,
}: {
  readonly expression: string;
  /** It leads to what the value is in. */
  readonly isAround?: boolean;
  readonly asking: Asking;
}): JSX.Element {
  const its = isAround ? `${expression}, which this is in` : 'this';
  const button = (text: string, label: string, key: string, ask: (expression: string) => void): JSX.Element => (
    <button
      type="button"
      class="ask"
      tabIndex={-1}
      aria-label={`${label} ${expression}`}
      title={`${label} ${its} (${key})`}
      onClick={(event) => {
        event.stopPropagation();
        ask(expression);
      }}
    >
      {text}
    </button>
  );
  return (
    <span class="asks">
      {button('wrote', 'Who last wrote', 'Y', asking.wrote)}
      {button('sent', 'Where a message came from that has brought', 'F', asking.sent)}
    </span>
  );
}
