// Moves of one DAP client, in sequence. Each move ends with a `stopped` event, after which the client asks for the
// stack.
import { MoveQueue, type Direction, type QueuedMove } from '@turntable/time-machine/client';
import type { CursorInfo } from '@turntable/time-machine/protocol';
import type { ActorThreads } from './actor-threads.ts';
import type { SessionContext } from './session-context.ts';

/** The reason of a stop as DAP defines it, with a description for the user. */
export interface StopReason {
  readonly reason: string;
  readonly description?: string | undefined;
  /** DAP ids of the breakpoints hit. */
  readonly breakpointIds?: readonly number[];
}

export type DapMove = QueuedMove<StopReason>;

export class Stepper extends MoveQueue<StopReason> {
  readonly #context: SessionContext;
  readonly #actors: ActorThreads;

  constructor(context: SessionContext, actors: ActorThreads) {
    super(context.client, context.hello.cursor, {
      startMove: (title, controller) => context.progress.start(title, controller),
      moved: (reason) => this.sendStopped(reason),
      notMoved: (reason) => {
        context.printLine(reason);
        this.sendStopped({ reason: 'pause', description: reason });
      },
    });
    this.#context = context;
    this.#actors = actors;
  }

  /** Cancels the current move. Without a move in progress, reports the current position as a stop. */
  pause(): void {
    if (this.isMoving) this.cancel();
    else this.sendStopped({ reason: 'pause' });
  }

  /** Reports that another client has moved the position, which all clients share. */
  followMove(cursor: CursorInfo, clientId: number): void {
    this.cursorMoved(cursor, { reason: 'goto', description: `client ${clientId} moved here` });
  }

  sendStopped({ reason, description, breakpointIds = [] }: StopReason): void {
    const isAtEnd = this.cursor.task === undefined;
    this.#context.emitEvent('stopped', {
      reason,
      description: description ?? (isAtEnd ? 'the end of the recording' : undefined),
      threadId: this.#actors.threadAt(this.cursor),
      allThreadsStopped: true,
      hitBreakpointIds: breakpointIds.length === 0 ? undefined : breakpointIds,
    });
  }

  /** Returns a function that steps a thread: the current one by a move, any other to its next or previous task. */
  step(moveId: string, direction: Direction, threadId: number | undefined): DapMove['run'] {
    return async (options) => {
      if (threadId === undefined || threadId === this.#actors.threadAt(this.cursor)) {
        // A recording that is not replayed statement by statement has only tasks.
        const move = this.#context.hello.moves.some(({ id }) => id === moveId) ? moveId : 'task';
        return this.move({ move, direction }, options);
      }
      const { worker, name } = this.#actors.actorOfThread(threadId);
      const isForward = direction === 'forward';
      const { order } = this.cursor;
      const from = isForward ? order + 1 : order - 1;
      const reason = `${name} has no ${isForward ? 'later' : 'earlier'} task`;
      if (from < 1) return { found: false, reason, cursor: this.cursor };
      const { tasks } = await this.#context.client.request(
        'tasks',
        { from, count: 1, direction, worker, actor: name },
        options,
      );
      const [nextTask] = tasks;
      return nextTask === undefined
        ? { found: false, reason, cursor: this.cursor }
        : this.moveTo(nextTask.position, options);
    };
  }
}
