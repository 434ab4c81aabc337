// Requests about bookmarks.
import { position, task } from './shapes.ts';
import { strictObject, boolean, integer, array, object, optional, string } from './schema.ts';

export const bookmark = object({
  id: integer('number of the bookmark', 1),
  position,
  note: string('note of the user', 4000),
  task: optional(task),
});

export const bookmarks = {
  bookmarks: {
    description:
      'Positions with notes, which all clients share. They are stored beside the recording. A bookmark whose task was not replayed has only its position.',
    params: strictObject({}),
    result: object({ bookmarks: array(bookmark, 'in the order of their creation') }),
  },
  setBookmark: {
    description: 'Adds a bookmark, or changes the note or position of an existing one.',
    params: strictObject({
      id: optional(integer('number of an existing bookmark', 1)),
      position: optional(position),
      note: optional(string('default: empty for a new bookmark, otherwise unchanged', 4000)),
    }),
    result: bookmark,
  },
  removeBookmark: {
    description: 'Removes a bookmark.',
    params: strictObject({ id: integer('number of the bookmark', 1) }),
    result: object({ found: boolean('whether the bookmark existed') }),
  },
} as const;
