// The list of bookmarks, whose notes can be edited.
import type { BookmarkInfo } from '@turntable/time-machine/protocol';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { formatKey } from '../model/commands.ts';
import { isInFocus } from '../model/focus.ts';
import type { DebuggerSession } from '../model/debugger-session.ts';
import { WINDOW_KEYS } from '../model/window-keys.ts';
import { Tabs } from './tabs.tsx';
import { useDraft } from './use-draft.ts';
import { useSelector } from './use-selector.ts';

export function BookmarksView({ session }: { readonly session: DebuggerSession }): JSX.Element {
  const allBookmarks = useSelector(session, (state) => state.bookmarks);
  const focus = useSelector(session, (state) => state.focus);
  const bookmarks = allBookmarks.filter(({ task }) => isInFocus(focus, task?.order ?? 0));
  const position = useSelector(session, (state) => state.cursor?.position);
  const list = useRef<HTMLUListElement>(null);
  const count = useRef(allBookmarks.length);
  useEffect(() => {
    // The note of a new bookmark is focused.
    if (allBookmarks.length > count.current) [...(list.current?.querySelectorAll('input') ?? [])].at(-1)?.focus();
    count.current = allBookmarks.length;
  }, [allBookmarks]);
  return (
    <section class="pane bookmarks" aria-label="Bookmarks">
      <header class="pane-head">
        <Tabs session={session} pane="left" />
      </header>
      <div class="tools">
        <button
          type="button"
          class="plain"
          title={`Set a bookmark here (${formatKey(WINDOW_KEYS.bookmark)})`}
          disabled={position === undefined}
          onClick={() => void session.bookmarks.add('')}
        >
          Set a bookmark
        </button>
      </div>
      <ul class="list" ref={list}>
        {bookmarks.map((each) => (
          <BookmarkRow key={each.id} session={session} bookmark={each} isCurrent={each.position === position} />
        ))}
      </ul>
      {allBookmarks.length > bookmarks.length && (
        <p class="empty">{allBookmarks.length - bookmarks.length} more outside the selected range: Esc shows all.</p>
      )}
      {allBookmarks.length === 0 && (
        <p class="empty">
          No bookmarks. {formatKey(WINDOW_KEYS.bookmark)} sets one here. They are kept beside the recording.
        </p>
      )}
    </section>
  );
}

interface BookmarkProps {
  readonly session: DebuggerSession;
  readonly bookmark: BookmarkInfo;
  readonly isCurrent: boolean;
}

function BookmarkRow({ session, bookmark, isCurrent }: BookmarkProps): JSX.Element {
  const { id, position, note, task } = bookmark;
  const draft = useDraft(note, async (text) => {
    if (text !== note) await session.bookmarks.setNote(id, text);
  });
  const saveNote = (): void => {
    if (draft.isEdited) void draft.save(draft.text);
  };
  return (
    <li class={isCurrent ? 'bookmark is-current' : 'bookmark'}>
      <button
        type="button"
        class="entry"
        aria-current={isCurrent ? 'true' : undefined}
        disabled={task === undefined}
        title={task === undefined ? 'Not in the replayed part' : `Go to ${position}`}
        onClick={() => void session.moveTo(position)}
      >
        <span class="entry-name">{task?.title ?? 'not in the replayed part'}</span>
        <span class="quiet">{position}</span>
      </button>
      <form
        class="note"
        onSubmit={(event) => {
          event.preventDefault();
          saveNote();
        }}
      >
        <input
          type="text"
          aria-label={`Note of ${position}`}
          placeholder="Note"
          maxLength={4000}
          value={draft.text}
          onInput={(event) => draft.edit(event.currentTarget.value)}
          onBlur={saveNote}
        />
        <button
          type="button"
          class="plain"
          aria-label={`Remove the bookmark of ${position}`}
          title="Remove this bookmark"
          onClick={() => void session.bookmarks.remove(id)}
        >
          ✕
        </button>
      </form>
    </li>
  );
}
