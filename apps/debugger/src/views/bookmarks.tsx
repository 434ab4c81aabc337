// Places that somebody has marked, with what they have to say of them.
import type { ToldBookmark } from '@turntable/time-machine/protocol';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isIn } from '../model/focus.ts';
import type { Session } from '../model/session.ts';
import { Tabs } from './tabs.tsx';
import { useSelected } from './use-selected.ts';

export function BookmarksView({ session }: { readonly session: Session }): JSX.Element {
  const all = useSelected(session, (state) => state.bookmarks);
  const focus = useSelected(session, (state) => state.focus);
  const bookmarks = all.filter(({ stretch }) => isIn(focus, stretch?.order ?? 0));
  const position = useSelected(session, (state) => state.where?.position);
  const list = useRef<HTMLUListElement>(null);
  const count = useRef(all.length);
  useEffect(() => {
    // Of a new one there is something to be said.
    if (all.length > count.current) [...(list.current?.querySelectorAll('input') ?? [])].at(-1)?.focus();
    count.current = all.length;
  }, [all]);
  return (
    <section class="pane bookmarks" aria-label="Bookmarks">
      <header class="pane-head">
        <Tabs session={session} place="left" />
      </header>
      <div class="tools">
        <button
          type="button"
          class="plain"
          title="Mark where you stand (K)"
          disabled={position === undefined}
          onClick={() => void session.bookmarks.add('')}
        >
          Mark here
        </button>
      </div>
      <ul class="list" ref={list}>
        {bookmarks.map((each) => (
          <Bookmark key={each.id} session={session} bookmark={each} isHere={each.position === position} />
        ))}
      </ul>
      {all.length > bookmarks.length && (
        <p class="empty">{all.length - bookmarks.length} more are in other pieces of the recording: Esc shows all.</p>
      )}
      {all.length === 0 && <p class="empty">None yet: K marks where you stand. They are kept beside the recording.</p>}
    </section>
  );
}

interface BookmarkProps {
  readonly session: Session;
  readonly bookmark: ToldBookmark;
  readonly isHere: boolean;
}

function Bookmark({ session, bookmark, isHere }: BookmarkProps): JSX.Element {
  const { id, position, note, stretch } = bookmark;
  const [text, setText] = useState(note);
  useEffect(() => setText(note), [note]);
  const say = (): void => {
    if (text !== note) void session.bookmarks.say(id, text);
  };
  return (
    <li class={isHere ? 'bookmark is-here' : 'bookmark'}>
      <button
        type="button"
        class="entry"
        aria-current={isHere ? 'true' : undefined}
        disabled={stretch === undefined}
        title={stretch === undefined ? 'This is not in what was run again' : `Go to ${position}`}
        onClick={() => void session.goTo(position)}
      >
        <span class="entry-name">{stretch?.title ?? 'not in what was run again'}</span>
        <span class="quiet">{position}</span>
      </button>
      <form
        class="note"
        onSubmit={(event) => {
          event.preventDefault();
          say();
        }}
      >
        <input
          type="text"
          aria-label={`Note of ${position}`}
          placeholder="A note…"
          maxLength={4000}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onBlur={say}
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
