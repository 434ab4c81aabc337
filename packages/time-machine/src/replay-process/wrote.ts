// Last writes, as the time machine answers them.
import type { Position } from '../position.ts';
import type { FoundWrite, WriteInfo, WriteKind } from './protocol.ts';

/** Whether a thread has found the last write, so that no other stretch or process must be searched. */
export function isAnswer(is: FoundWrite['is']): is is WriteKind {
  return is !== 'made' && is !== 'earlier' && is !== 'later';
}

export interface Wrote extends WriteInfo {
  /** The statement that wrote it. Of an unwritten value, the stretch since which nothing has written it, if that is not the first. */
  readonly position: Position | undefined;
}
