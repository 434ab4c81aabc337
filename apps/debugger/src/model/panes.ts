/** The tab shown in each pane of the window. */
export interface Panes {
  readonly left: 'turns' | 'requests' | 'bookmarks';
  readonly middle: 'source' | 'system' | 'snapshots';
  readonly top: 'variables' | 'state';
  readonly below: 'stack' | 'writes' | 'promises';
  readonly bottom: 'expressions' | 'output' | 'search';
}
