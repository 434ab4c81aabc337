// How somebody goes about in a recording who stands at one place with all others: one move after the other, each of which can be given up, and each of which ends with where all stand then.
import type { Client, RequestOptions } from './client.ts';
import type { Direction } from '../moves/move.ts';
import { ERROR_CODES, type MoveResult, type ParamsOf, type MoveInfo, type CursorInfo } from '../protocol.ts';
import { comparePositionKeys, positionKey } from './position-key.ts';

/** `R`: why all stand still. */
export interface QueuedMove<R> {
  /** What is done, while it takes long. */
  readonly title: string;
  /** Goes somewhere. What is not found leaves all where they are. */
  readonly run: (options: RequestOptions) => Promise<MoveResult>;
  /** Of where it has led. */
  readonly reasonOf: (landed: MoveResult) => R;
}

/** What takes long, as somebody sees it. */
export interface MoveProgress extends RequestOptions {
  end(): void;
}

export interface MoveObserver<R> {
  startMove(title: string, controller: AbortController): MoveProgress;
  /** All stand still. */
  moved(reason: R): void;
  /** All stand where they stood, and why. */
  notMoved(reason: string): void;
}

export class MoveQueue<R> {
  readonly #client: Client;
  readonly #observer: MoveObserver<R>;
  #cursor: CursorInfo;
  #queue: Promise<unknown> = Promise.resolve();
  #controller: AbortController | undefined;
  /** Is told before anybody else that all stand elsewhere, or that what was seen here may be otherwise. */
  onLeave: () => void = () => {};
  /** Is told when it has been told that all have stopped. */
  onArrive: (previous: CursorInfo, cursor: CursorInfo) => void = () => {};

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

  /** Settles when it has been told where all stand now. Rejects only where nobody can be told. @param signal gives it up */
  enqueue(move: QueuedMove<R>, signal?: AbortSignal): Promise<MoveResult> {
    const result = this.#queue.then(() => this.#run(move, signal));
    this.#queue = result.catch(() => {});
    return result;
  }

  async #run({ title, run, reasonOf }: QueuedMove<R>, signal: AbortSignal | undefined): Promise<MoveResult> {
    const controller = new AbortController();
    const giveUp = (): void => controller.abort();
    signal?.addEventListener('abort', giveUp);
    if (signal?.aborted === true) giveUp();
    this.#controller = controller;
    const progress = this.#observer.startMove(title, controller);
    try {
      const landed = await run(progress);
      if (landed.found) this.cursorMoved(landed.cursor, reasonOf(landed));
      else this.#observer.notMoved(landed.reason ?? 'there is no such place');
      return landed;
    } catch (error) {
      const isCancelled = (error as { readonly code?: unknown }).code === ERROR_CODES.cancelled;
      const reason = isCancelled ? 'given up: all stand where they stood' : (error as Error).message;
      this.#observer.notMoved(reason);
      return { found: false, reason, cursor: this.#cursor };
    } finally {
      progress.end();
      signal?.removeEventListener('abort', giveUp);
      this.#controller = undefined;
    }
  }

  cancel(): void {
    this.#controller?.abort();
  }

  /** All stand there, whoever has gone. */
  cursorMoved(cursor: CursorInfo, reason: R): void {
    const previous = this.#cursor;
    this.#cursor = cursor;
    this.onLeave();
    this.#observer.moved(reason);
    this.onArrive(previous, cursor);
  }

  /** Any move that the server describes. */
  async move(params: ParamsOf<'move'>, options: RequestOptions): Promise<MoveResult> {
    return this.#client.request('move', params, options);
  }

  find(params: ParamsOf<'find'>, options: RequestOptions): Promise<MoveResult> {
    return this.#client.request('find', params, options);
  }

  moveTo(position: string, options: RequestOptions): Promise<MoveResult> {
    return this.move({ move: 'position', arguments: { position } }, options);
  }

  /** Of places, the nearest in a direction. */
  nearest(places: readonly MoveResult[], direction: Direction): MoveResult | undefined {
    const sign = direction === 'forward' ? 1 : -1;
    return places
      .filter(({ found }) => found)
      .toSorted(
        (first, second) => comparePositionKeys(positionKey(first.cursor), positionKey(second.cursor)) * sign,
      )[0];
  }
}

/** As its button would say it. */
export function moveTitle({ title }: Pick<MoveInfo, 'title'>, direction: Direction | undefined): string {
  return title.replace('{next}', direction === 'backward' ? 'the previous' : 'the next');
}

/** Beyond the breakpoints. */
export function recordingEdgeText(direction: Direction): string {
  return direction === 'forward' ? 'the end of the recording' : 'the beginning of the recording';
}
