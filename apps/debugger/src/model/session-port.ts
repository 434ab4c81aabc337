// The session as models use it. Each model reads and updates a few fields of the session's state, `S`.
import type { RequestOptions } from '@turntable/time-machine/client';
import type { MethodName, ParamsOf, ResultOf } from '@turntable/time-machine/protocol';
import type { Panes } from './panes.ts';

export interface SessionPort<S extends object = object> {
  readonly state: S;
  readonly store: {
    /** Updates fields; the others stay unchanged. */
    update(part: Partial<S>): void;
  };
  request<M extends MethodName>(method: M, params: ParamsOf<M>, options?: RequestOptions): Promise<ResultOf<M>>;
  moveTo(position: string): Promise<void>;
  /** The source of a file; undefined if the recording does not have it. */
  loadSource(file: string): Promise<string | undefined>;
  showPanes(panes: Partial<Panes>): void;
  /** Shows a notice. */
  showNotice(text: string): void;
  /** Shows an error, unless the request was cancelled. */
  showError(error: unknown): void;
}
