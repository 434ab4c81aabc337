// A tree of values with expandable rows, and buttons that trace a value's last write or move to where it was sent.
import { missingValueText } from '@turntable/time-machine/client';
import type { JSX, TargetedKeyboardEvent } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { TreeExpander } from '../model/tree-expander.ts';
import { treeRows, type ValueTree, type TreeRow } from '../model/value-tree.ts';

interface TreeViewProps {
  readonly label: string;
  readonly tree: ValueTree;
  readonly expander: TreeExpander;
  /** Whether the values were loaded at another position. */
  readonly isStale: boolean;
  readonly actions: ValueActions;
}

/** Actions on a value, which is given by an expression. */
export interface ValueActions {
  traceWrite(expression: string): void;
  moveToSend(expression: string): void;
}

export function TreeView({ label, tree, expander, isStale, actions }: TreeViewProps): JSX.Element {
  const rows = useMemo(() => treeRows(tree), [tree]);
  const list = useRef<HTMLDivElement>(null);

  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const items = [...(list.current?.querySelectorAll<HTMLElement>('[role="treeitem"]') ?? [])];
    const index = items.indexOf(document.activeElement as HTMLElement);
    const row = rows[index];
    if (row === undefined) return;
    if (event.key === 'ArrowDown') items[index + 1]?.focus();
    else if (event.key === 'ArrowUp') items[index - 1]?.focus();
    else if (event.key === 'ArrowRight' && !row.isOpen) toggleRow(expander, row);
    else if (event.key === 'ArrowLeft' && row.isOpen) toggleRow(expander, row);
    else if (event.key === 'ArrowLeft')
      items[rows.findLastIndex(({ depth }, i) => i < index && depth < row.depth)]?.focus();
    else if (event.key === 'Enter' || event.key === ' ') toggleRow(expander, row);
    else if (event.key === 'y') runAction(row, actions.traceWrite);
    else if (event.key === 'm') runAction(row, actions.moveToSend);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div class={isStale ? 'tree is-stale' : 'tree'} role="tree" aria-label={label} ref={list} onKeyDown={onKeyDown}>
      {rows.map((row, i) => (
        <TreeRowView key={row.path} row={row} isFirst={i === 0} expander={expander} actions={actions} />
      ))}
    </div>
  );
}

function toggleRow(expander: TreeExpander, { path, value, remaining }: TreeRow): void {
  if (value?.id === undefined) return;
  if (remaining === undefined) void expander.toggle(path);
  else void expander.loadMore(value.id);
}

function runAction({ expression }: TreeRow, action: (expression: string) => void): void {
  if (expression !== undefined) action(expression);
}

interface TreeRowProps {
  readonly row: TreeRow;
  readonly isFirst: boolean;
  readonly expander: TreeExpander;
  readonly actions: ValueActions;
}

function TreeRowView({ row, isFirst, expander, actions }: TreeRowProps): JSX.Element {
  const { depth, name, kind, value, isOpen, isChanged, remaining, expression, isExact } = row;
  const hasParts = value?.id !== undefined && remaining === undefined;
  return (
    <div
      class={`tree-row${isChanged ? ' is-changed' : ''}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-expanded={hasParts ? isOpen : undefined}
      tabIndex={isFirst ? 0 : -1}
      style={{ paddingLeft: `${8 + depth * 14}px` }}
      title={isChanged ? 'Changed since the previous position' : undefined}
      onClick={(event) => {
        event.currentTarget.focus();
        toggleRow(expander, row);
      }}
    >
      {remaining === undefined ? (
        <>
          <span class="twist" aria-hidden="true">
            {hasParts ? (isOpen ? '▾' : '▸') : ''}
          </span>
          <span class={kind === 'inner' || kind === 'property' ? 'name' : 'name is-variable'}>{name}</span>
          <span class="quiet">: </span>
          <span class={`value is-${value?.kind ?? 'nothing'}`}>{value?.preview ?? missingValueText(row)}</span>
          {expression !== undefined && value !== undefined && (
            <ValueActionButtons expression={expression} isContainer={!isExact} actions={actions} />
          )}
        </>
      ) : (
        <span class="link">{remaining.toLocaleString('en-US')} more</span>
      )}
    </div>
  );
}

/** Buttons that trace the last write of a value, or move to the statement that sent it in a message. */
export function ValueActionButtons({
  expression,
  isContainer = false,
  actions,
}: {
  readonly expression: string;
  /** Whether the expression is that of an enclosing object, because the value has none. */
  readonly isContainer?: boolean;
  readonly actions: ValueActions;
}): JSX.Element {
  const target = isContainer ? `${expression}, which this is in` : 'this';
  const button = (text: string, label: string, key: string, action: (expression: string) => void): JSX.Element => (
    <button
      type="button"
      class="value-action"
      tabIndex={-1}
      aria-label={`${label} ${expression}`}
      title={`${label} ${target} (${key})`}
      onClick={(event) => {
        event.stopPropagation();
        action(expression);
      }}
    >
      {text}
    </button>
  );
  return (
    <span class="value-actions">
      {button('last write', 'Show the write history of', 'Y', actions.traceWrite)}
      {button('sender', 'Go to the statement that sent', 'M', actions.moveToSend)}
    </span>
  );
}
