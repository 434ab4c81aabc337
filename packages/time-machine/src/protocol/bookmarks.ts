// Places that somebody wants to find again.
import { position, task } from './shapes.ts';
import { strictObject, boolean, integer, array, object, optional, string } from './schema.ts';

export const bookmark = object({
  id: integer('its number', 1),
  position,
  note: string('what somebody has to say of it', 4000),
  task: optional(task),
});

export const bookmarks = {
  bookmarks: {
    description:
      'Places that somebody wants to find again, of all clients. They are kept beside the recording; of those that are not in what was run again, only the position is known.',
    params: strictObject({}),
    result: object({ bookmarks: array(bookmark, 'in the order in which they were made') }),
  },
  setBookmark: {
    description: 'A bookmark more, or, with a number, another note or place for one that there is.',
    params: strictObject({
      id: optional(integer('of one that there is', 1)),
      position: optional(position),
      note: optional(string('nothing of a new one, and as it was of another one, unless it is said', 4000)),
    }),
    result: bookmark,
  },
  removeBookmark: {
    description: 'One less.',
    params: strictObject({ id: integer('its number', 1) }),
    result: object({ found: boolean('whether it was there') }),
  },
} as const;
