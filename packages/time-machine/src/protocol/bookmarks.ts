// Places that somebody wants to find again.
import { position, stretch } from './parts.ts';
import { closed, flag, integer, list, object, optional, text } from './schema.ts';

export const bookmark = object({
  id: integer('its number', 1),
  position,
  note: text('what somebody has to say of it', 4000),
  stretch: optional(stretch),
});

export const bookmarks = {
  bookmarks: {
    about:
      'Places that somebody wants to find again, of all clients. They are kept beside the recording; of those that are not in what was run again, only the position is known.',
    params: closed({}),
    result: object({ bookmarks: list(bookmark, 'in the order in which they were made') }),
  },
  bookmark: {
    about: 'A bookmark more, or, with a number, another note or place for one that there is.',
    params: closed({
      id: optional(integer('of one that there is', 1)),
      position: optional(position),
      note: optional(text('nothing of a new one, and as it was of another one, unless it is said', 4000)),
    }),
    result: bookmark,
  },
  unbookmark: {
    about: 'One less.',
    params: closed({ id: integer('its number', 1) }),
    result: object({ found: flag('whether it was there') }),
  },
} as const;
