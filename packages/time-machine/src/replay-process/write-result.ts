// Last writes, as the time machine answers them.
import type { Position } from '../position.ts';
import type { ThreadWriteResult, WriteInfo, WriteKind } from './protocol.ts';

/** Whether a thread has found the last write, so that no other task or process must be searched. */
export function isConclusive(kind: ThreadWriteResult['kind']): kind is WriteKind {
  return kind !== 'created' && kind !== 'earlier' && kind !== 'later';
}

export interface WriteResult extends WriteInfo {
  /** The statement that wrote it. Of an unwritten value, the task since which nothing has written it, if that is not the first. */
  readonly position: Position | undefined;
}
