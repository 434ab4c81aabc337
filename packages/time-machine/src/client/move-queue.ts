// Queue of the moves of a client. Moves run one after the other, the user can cancel each, and each ends with a report
// of the shared position.
import type { Client, RequestOptions } from './client.ts';
import type { Direction } from '../moves/move.ts';
import { ERROR_CODES, type MoveResult, type ParamsOf, type MoveInfo, type CursorInfo } from '../protocol.ts';

/** @template R type of the reasons for a pause in the user interface */
export interface QueuedMove<R> {
  /** Title that users see while the move runs. */
  readonly title: string;
  readonly run: (options: RequestOptions) => Promise<MoveResult>;
  readonly reasonOf: (landed: MoveResult) => R;
}

/** Display of a running move. */
export interface MoveProgress extends RequestOptions {
  end(): void;
}

export interface MoveObserver<R> {
  startMove(title: string, controller: AbortController): MoveProgress;
  /** Called when the shared position has changed. */
  moved(reason: R): void;
  /** Called when a move has left the position unchanged, for this reason. */
  notMoved(reason: string): void;
}

export class MoveQueue<R> {
  readonly #client: Client;
  readonly #observer: MoveObserver<R>;
  #cursor: CursorInfo;
  #queue: Promise<unknown> = Promise.resolve();
  #controller: AbortController | undefined;
  /** Called before the observer when the position has changed, since cached values are no longer valid. */
  onLeave: () => void = () => {};
  /** Called after the observer when the position has changed. `landed`: the result, if a move of this client led there. */
  onArrive: (previous: CursorInfo, cursor: CursorInfo, landed?: MoveResult) => void = () => {};

  constructor(client: Client, cursor: CursorInfo, observer: MoveObserver<R>) {
    this.#client = client;
    this.#cursor = cursor;
    this.#observer = observer;
  }

  get cursor(): CursorInfo {
    return this.#cursor;
  }

  get isMoving(): boolean {
    return this.#controller !== undefined;
  }

  /** Adds a move. The promise never rejects for a failed move, whose result has the reason. @param signal cancels it */
  enqueue(move: QueuedMove<R>, signal?: AbortSignal): Promise<MoveResult> {
    const result = this.#queue.then(() => this.#run(move, signal));
    this.#queue = result.catch(() => {});
    return result;
  }

  async #run({ title, run, reasonOf }: QueuedMove<R>, signal: AbortSignal | undefined): Promise<MoveResult> {
    const controller = new AbortController();
    const cancel = (): void => controller.abort();
    signal?.addEventListener('abort', cancel);
    if (signal?.aborted === true) cancel();
    this.#controller = controller;
    const progress = this.#observer.startMove(title, controller);
    try {
      const landed = await run(progress);
      if (landed.found) this.cursorMoved(landed.cursor, reasonOf(landed), landed);
      else this.#observer.notMoved(landed.reason ?? 'there is no such position');
      return landed;
    } catch (error) {
      const isCancelled = (error as { readonly code?: unknown }).code === ERROR_CODES.cancelled;
      const reason = isCancelled ? 'cancelled; the position is unchanged' : (error as Error).message;
      this.#observer.notMoved(reason);
      return { found: false, reason, cursor: this.#cursor };
    } finally {
      progress.end();
      signal?.removeEventListener('abort', cancel);
      this.#controller = undefined;
    }
  }

  cancel(): void {
    this.#controller?.abort();
  }

  /** Reports a new position to the observer, after a move of this or another client. */
  cursorMoved(cursor: CursorInfo, reason: R, landed?: MoveResult): void {
    const previous = this.#cursor;
    this.#cursor = cursor;
    this.onLeave();
    this.#observer.moved(reason);
    this.onArrive(previous, cursor, landed);
  }

  async move(params: ParamsOf<'move'>, options: RequestOptions): Promise<MoveResult> {
    return this.#client.request('move', params, options);
  }

  /** Moves to the nearest breakpoint; without one, or without statements, to the start or end of the recording. */
  continue(direction: Direction, canStep: boolean, options: RequestOptions): Promise<MoveResult> {
    return canStep
      ? this.move({ move: 'continue', direction }, options)
      : this.moveTo(direction === 'forward' ? 'end' : 'start', options);
  }

  find(params: ParamsOf<'find'>, options: RequestOptions): Promise<MoveResult> {
    return this.#client.request('find', params, options);
  }

  moveTo(position: string, options: RequestOptions): Promise<MoveResult> {
    return this.move({ move: 'goto', arguments: { target: position } }, options);
  }
}

/** Title of a move, as on a button, with its direction inserted. */
export function moveTitle({ title }: Pick<MoveInfo, 'title'>, direction: Direction | undefined): string {
  return title.replace('{next}', direction === 'backward' ? 'the previous' : 'the next');
}

/** Where a move to a breakpoint ends if no more breakpoints are hit in its direction. */
export function recordingEdgeText(direction: Direction): string {
  return direction === 'forward' ? 'the end of the recording' : 'the start of the recording';
}
