import type { Position } from '../position.ts';
import type { StopHistory } from './breakpoint-controller.ts';

/** Possible origins of a value. */
export const LAST_WRITE_KINDS = ['written', 'passed', 'sent', 'settled', 'resumed'] as const;
export type LastWriteKind = (typeof LAST_WRITE_KINDS)[number];

/** The target of a move with a note for users, or the reason why there is no target. */
export type StepResult =
  | { readonly position: Position; readonly note: string; readonly lastWrite: LastWriteInfo }
  | {
      readonly position: Position;
      /** Ids of the breakpoints at the target. */
      readonly breakpoints: readonly number[];
      /** Whether the target is the start or the end of the recording, since no breakpoint is hit before it. */
      readonly isEdge?: boolean;
      readonly note?: string | undefined;
      readonly history?: StopHistory;
      /** Must be called when the move has arrived. */
      readonly arrive?: () => void;
    }
  | { readonly reason: string };

export interface LastWriteInfo {
  readonly kind: LastWriteKind;
  /** The part of the expression that was written; any further parts were written with it. */
  readonly part: string;
}
