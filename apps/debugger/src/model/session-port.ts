// The session's interface for models. Each model reads and updates a few fields of the session's state, `S`.
import type { RequestOptions } from '@turntable/time-machine/client';
import type { MethodName, ParamsOf, ResultOf } from '@turntable/time-machine/protocol';
import type { Panes } from './panes.ts';

export interface SessionPort<S extends object = object> {
  readonly state: S;
  readonly store: {
    /** Updates fields; the other fields stay unchanged. */
    update(part: Partial<S>): void;
  };
  request<M extends MethodName>(method: M, params: ParamsOf<M>, options?: RequestOptions): Promise<ResultOf<M>>;
  moveTo(position: string): Promise<void>;
  /** Returns the source of a file; undefined if the recording does not have the source. */
  loadSource(file: string): Promise<string | undefined>;
  showPanes(panes: Partial<Panes>): void;
  showNotice(text: string): void;
  /** Shows an error as a notice, unless it is a cancellation. */
  showError(error: unknown): void;
}
