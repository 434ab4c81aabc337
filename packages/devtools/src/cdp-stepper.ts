// Where all stand, and how they go elsewhere: every move of a client is made here, one after the other, and ends with a `Debugger.paused` that says where that was.
import {
  recordingEdgeText,
  OutputFollower,
  moveTitle,
  MoveQueue,
  type Direction,
  type QueuedMove,
} from '@turntable/time-machine/client';
import type { MoveResult, ParamsOf, CursorInfo } from '@turntable/time-machine/protocol';
import type { CdpBreakpoints } from './cdp-breakpoints.ts';
import { CallFrames } from './call-frames.ts';
import { DevtoolsError } from './devtools-error.ts';
import { printLine, type CdpSessionContext } from './cdp-session-context.ts';
import type { RemoteObjects } from './remote-objects.ts';

/** Why all stand still, in words of the protocol, and in others for people. */
export interface PauseReason {
  readonly reason: 'other' | 'step' | 'exception';
  readonly description?: string | undefined;
  readonly breakpointIds?: readonly string[];
}

/** Moves of the time machine by which buttons go, the first that there is. */
const STEP_MOVES = { over: ['over', 'task'], into: ['into', 'task'], out: ['out', 'task'] } as const;
export type StepKind = keyof typeof STEP_MOVES;

/** Steps that go on where nobody wants to stop. */
const MAX_SKIPPED_STEPS = 100;

export class CdpStepper {
  readonly frames: CallFrames;
  readonly #context: CdpSessionContext;
  readonly #breakpoints: CdpBreakpoints;
  readonly #output: OutputFollower;
  readonly #queue: MoveQueue<PauseReason>;
  /** Of URLs of files that nobody wants to stop in. */
  #skippedUrls: readonly RegExp[] = [];
  #isEnabled = false;
  #isPaused = false;
  #reporting: Promise<void> = Promise.resolve();

  constructor(context: CdpSessionContext, objects: RemoteObjects, breakpoints: CdpBreakpoints) {
    this.#context = context;
    this.#breakpoints = breakpoints;
    this.frames = new CallFrames(context, objects, () => this.cursor);
    const printInfo = (text: string): void => printLine(context, { type: 'info', text, time: Date.now() });
    this.#output = new OutputFollower(context.client, {
      print: ({ stream: to, text, time }) =>
        printLine(context, { type: to === 'stderr' ? 'error' : 'log', text, time }),
      hasMore: (from) => printInfo(`more was printed from task ${from} on: TimeTravel.output tells it`),
      failed: (reason) => printInfo(`what was printed is not known: ${reason}`),
    });
    this.#queue = new MoveQueue<PauseReason>(context.client, context.hello.cursor, {
      startMove: (_, controller) => {
        this.#reportResumed();
        return { signal: controller.signal, end: () => {} };
      },
      moved: (reason) => this.#reportPaused(reason),
      notMoved: (reason) => {
        printInfo(reason);
        this.#reportPaused({ reason: 'other', description: reason });
      },
    });
    this.#queue.onLeave = () => {
      this.frames.clear();
      objects.clear();
    };
    this.#queue.onArrive = (before, cursor) => {
      // Who is back at the beginning sees all of it again.
      if (cursor.order === 1 && cursor.statement === undefined) this.#output.reset();
      void this.#output.cursorMoved(before, cursor);
    };
  }

  get cursor(): CursorInfo {
    return this.#queue.cursor;
  }

  enable(): void {
    this.#isEnabled = true;
    this.#reportPaused({ reason: 'other' });
  }

  disable(): void {
    this.#isEnabled = false;
  }

  /** What was printed up to here. */
  printEarlierOutput(): Promise<void> {
    const { cursor } = this;
    // Who listens only now has been told of nothing.
    this.#output.reset();
    const start: CursorInfo = { position: '0.1', order: 1 };
    return this.#output.cursorMoved(start, cursor);
  }

  printOutput(from: number, to: number, signal: AbortSignal): Promise<number> {
    return this.#output.printRange(from, to, signal);
  }

  /** Files of which the URL is like one of these are passed by. Throws where one is no pattern. */
  skipFiles(patterns: readonly string[]): void {
    this.#skippedUrls = patterns.filter((each) => each !== '').map((each) => new RegExp(each));
  }

  #reportResumed(): void {
    if (this.#isEnabled && this.#isPaused) this.#context.sendEvent('Debugger.resumed');
    this.#isPaused = false;
  }

  #reportPaused(reason: PauseReason): void {
    if (this.#isEnabled) this.#reporting = this.#reporting.then(() => this.#sendPaused(reason));
  }

  async #sendPaused({ reason, description, breakpointIds = [] }: PauseReason): Promise<void> {
    const { position } = this.cursor;
    const { frames } = this;
    const callFrames = await this.#currentFrames();
    // Who goes on before that is told later.
    if (!this.#isEnabled || this.#queue.isMoving || position !== this.cursor.position) return;
    this.#isPaused = true;
    this.#context.sendEvent('Debugger.paused', {
      callFrames,
      reason,
      data: { position, description },
      hitBreakpoints: breakpointIds,
      asyncStackTraceId: frames.maxSenders > 0 && this.cursor.task !== undefined ? { id: frames.sendersId } : undefined,
    });
  }

  async #currentFrames(): Promise<readonly object[]> {
    try {
      return await this.frames.all();
    } catch (error) {
      printLine(this.#context, {
        type: 'info',
        text: `the stack is not known: ${(error as Error).message}`,
        time: Date.now(),
      });
      return this.frames.fallbackFrames();
    }
  }

  /** Settles when it has been told where all stand now. */
  async run(move: QueuedMove<PauseReason>, signal?: AbortSignal): Promise<MoveResult> {
    const result = await this.#queue.enqueue(move, signal);
    await this.#reporting;
    return result;
  }

  /** Whether something is looked for. */
  get isMoving(): boolean {
    return this.#queue.isMoving;
  }

  /** Only says where all stand. */
  reportPosition(): void {
    this.#reportPaused({ reason: 'other' });
  }

  /** Behind the end of what was recorded so far the program itself goes on. */
  resumeProgram(): void {
    this.#reportResumed();
  }

  cancel(): void {
    this.#queue.cancel();
  }

  end(): void {
    this.#isEnabled = false;
    this.cancel();
    this.#output.stop();
  }

  /** Another client has gone there, and so have all. */
  followMove(cursor: CursorInfo, clientId: number): void {
    this.relocate(cursor, `client ${clientId} has gone here`);
  }

  /** All stand there, though nobody has gone here by a move of this client's. */
  relocate(cursor: CursorInfo, description: string): void {
    this.#reportResumed();
    this.#queue.cursorMoved(cursor, { reason: 'other', description });
  }

  step(kind: StepKind, direction: Direction): QueuedMove<PauseReason> {
    const id = STEP_MOVES[kind].find((each) => this.#hasMove(each)) ?? kind;
    return {
      title: 'a step',
      run: async (options) => {
        if (this.#skippedUrls.length === 0) return this.#queue.move({ move: id, direction }, options);
        let result = await this.#queue.find({ move: id, direction }, options);
        for (let i = 0; result.found && this.#isSkipped(result.cursor) && i < MAX_SKIPPED_STEPS; i++)
          result = await this.#queue.find(
            { move: STEP_MOVES.out[0], direction, from: result.cursor.position },
            options,
          );
        return result.found ? this.#queue.moveTo(result.cursor.position, options) : result;
      },
      reasonOf: () => ({ reason: 'step' }),
    };
  }

  #hasMove(id: string): boolean {
    return this.#context.hello.moves.some((move) => move.id === id);
  }

  #isSkipped({ statement }: CursorInfo): boolean {
    const url = statement === undefined ? undefined : this.#context.scripts.scriptOfFile(statement.file)?.url;
    return url !== undefined && this.#skippedUrls.some((each) => each.test(url));
  }

  /** To the next breakpoint; to the end of the recording, or its beginning, where there is none. */
  continueMove(direction: Direction): QueuedMove<PauseReason> {
    let isAtEdge = false;
    return {
      title: 'to the next breakpoint',
      run: async (options) => {
        // Where tasks are not gone into there is nothing to stop at.
        const result = this.#hasMove('breakpoint')
          ? await this.#queue.move({ move: 'breakpoint', direction }, options)
          : undefined;
        if (result?.found === true) return result;
        isAtEdge = true;
        return this.#queue.move({ move: direction === 'forward' ? 'end' : 'start' }, options);
      },
      reasonOf: ({ note, breakpoints = [] }) => {
        if (isAtEdge) return { reason: 'other', description: recordingEdgeText(direction) };
        const { breakpointIds, isException } = this.#breakpoints.hitsOf(breakpoints);
        return { reason: isException ? 'exception' : 'other', description: note, breakpointIds };
      },
    };
  }

  moveTo(position: string): QueuedMove<PauseReason> {
    const run: QueuedMove<PauseReason>['run'] = (options) => this.#queue.moveTo(position, options);
    return { title: `to ${position}`, run, reasonOf: () => ({ reason: 'other' }) };
  }

  /** Any move that the server describes. */
  namedMove(params: ParamsOf<'move'>): QueuedMove<PauseReason> {
    const move = this.#context.hello.moves.find(({ id }) => id === params.move);
    if (move === undefined) {
      const knownMoves = this.#context.hello.moves.map(({ id }) => id).join(', ');
      throw new DevtoolsError('TT_CDP_PARAMS', `there is no move ${params.move}; there are ${knownMoves}`);
    }
    const title = moveTitle(move, params.direction);
    return {
      title,
      run: (options) => this.#queue.move(params, options),
      reasonOf: ({ note }) => ({ reason: 'other', description: note ?? title }),
    };
  }

  find(params: ParamsOf<'find'>, signal: AbortSignal): Promise<MoveResult> {
    return this.#queue.find(params, { signal });
  }
}
