// The variables where one stands, as a tree that is opened part by part.
import type { JSX, TargetedKeyboardEvent } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { Session } from '../model/session.ts';
import { rowsOfTree, type TreeRow } from '../model/tree.ts';
import { useSelected } from './use-selected.ts';

export function ValuesView({ session }: { readonly session: Session }): JSX.Element {
  const tree = useSelected(session, (state) => state.tree);
  const where = useSelected(session, (state) => state.where);
  const isLooking = useSelected(session, (state) => state.isLooking);
  const rows = useMemo(() => rowsOfTree(tree), [tree]);
  const list = useRef<HTMLDivElement>(null);

  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const items = [...(list.current?.querySelectorAll<HTMLElement>('[role="treeitem"]') ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const row = rows[at];
    if (row === undefined) return;
    if (event.key === 'ArrowDown') items[at + 1]?.focus();
    else if (event.key === 'ArrowUp') items[at - 1]?.focus();
    else if (event.key === 'ArrowRight' && !row.isOpen) open(session, row);
    else if (event.key === 'ArrowLeft' && row.isOpen) open(session, row);
    else if (event.key === 'ArrowLeft')
      items[rows.findLastIndex(({ depth }, i) => i < at && depth < row.depth)]?.focus();
    else if (event.key === 'Enter' || event.key === ' ') open(session, row);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <section class="pane values" aria-label="Variables" aria-busy={isLooking}>
      <header class="pane-head">
        <h2>Variables</h2>
        {isLooking && <span class="quiet appears">running there…</span>}
      </header>
      <div
        class={isLooking ? 'tree is-old' : 'tree'}
        role="tree"
        aria-label="Variables"
        ref={list}
        onKeyDown={onKeyDown}
      >
        {rows.map((row, i) => (
          <Row key={row.path} row={row} isFirst={i === 0} session={session} />
        ))}
      </div>
      {rows.length === 0 && !isLooking && (
        <p class="empty">
          {where?.statement === undefined
            ? 'Before the first statement of a turn there are none.'
            : 'There are no variables here.'}
        </p>
      )}
    </section>
  );
}

function open(session: Session, { path, value, more }: TreeRow): void {
  if (value?.id === undefined) return;
  if (more === undefined) void session.toggle(path);
  else void session.more(value.id);
}

function Row({
  row,
  isFirst,
  session,
}: {
  readonly row: TreeRow;
  readonly isFirst: boolean;
  readonly session: Session;
}): JSX.Element {
  const { depth, name, is, value, isOpen, isChanged, more } = row;
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
        open(session, row);
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
        </>
      ) : (
        <span class="link">{more.toLocaleString('en-US')} more</span>
      )}
    </div>
  );
}
