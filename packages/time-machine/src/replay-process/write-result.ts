// WriteResult: the result of a search for a last write, by findRecentWrite or WriteSearch. It is the answer of a
// thread, with the task number converted to a position, and without the kinds that only say where to search next.
import type { Position } from '../position.ts';
import type { ThreadWriteResult, WriteInfo, WriteKind } from './protocol.ts';

export interface WriteResult extends WriteInfo {
  /**
   * The statement that wrote the value. Of an argument: where its call begins. Of an unwritten value: the task since
   * which nothing has written it, unless that is the first task.
   */
  readonly position: Position | undefined;
}

/** Whether an answer of a thread ends the search, so that no other task or process must be searched. */
export function isConclusive(kind: ThreadWriteResult['kind']): kind is WriteKind {
  return kind !== 'created' && kind !== 'earlier' && kind !== 'later';
}
