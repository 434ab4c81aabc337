// What the parts of the model need of the session that has them. Each reads and puts a few fields of its state, `S`.
import type { RequestOptions } from '@turntable/time-machine/client';
import type { MethodName, ParamsOf, ResultOf } from '@turntable/time-machine/protocol';
import type { Panes } from './panes.ts';

export interface SessionPort<S extends object = object> {
  readonly state: S;
  readonly store: {
    /** Fields that are not named stay as they are. */
    update(part: Partial<S>): void;
  };
  request<M extends MethodName>(method: M, params: ParamsOf<M>, options?: RequestOptions): Promise<ResultOf<M>>;
  moveTo(position: string): Promise<void>;
  /** The text of a file; undefined, if it is not in the recording. */
  loadSource(file: string): Promise<string | undefined>;
  showPanes(panes: Partial<Panes>): void;
  /** Shows a notice. */
  showNotice(text: string): void;
  /** Shows an error, unless the request was cancelled. */
  showError(error: unknown): void;
}
