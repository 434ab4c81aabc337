// WriteResult: the result of a search for a last write, by findRecentWrite or WriteSearch. It is a thread's answer,
// with the task number converted to a position, and without the kinds that only tell where to search next.
import type { Position } from '../position.ts';
import type { ThreadWriteResult, WriteInfo, WriteKind } from './write-requests.ts';

export interface WriteResult extends WriteInfo {
  /**
   * For a written value: the writing statement. For an argument: the start of its call. For an unwritten value: the
   * task since which nothing has written it, unless that is the first task.
   */
  readonly position: Position | undefined;
}

/** Whether a thread's answer ends the search, so that no other task or process must be searched. */
export function isConclusive(kind: ThreadWriteResult['kind']): kind is WriteKind {
  return kind !== 'created' && kind !== 'earlier' && kind !== 'later';
}
