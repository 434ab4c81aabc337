// Moves of one client, in sequence. Each move ends with a `Debugger.paused` event that has the new position, and the
// program's output up to there is printed to the console.
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

/** The reason of a stop as CDP defines it, with a description for the user. */
export interface PauseReason {
  readonly reason: 'other' | 'step' | 'exception';
  readonly description?: string | undefined;
  readonly breakpointIds?: readonly string[];
}

/** For each step of CDP, the server's moves in order of preference; the first that the server offers is used. */
const STEP_MOVES = { over: ['next', 'task'], into: ['step', 'task'], out: ['finish', 'task'] } as const;
export type StepKind = keyof typeof STEP_MOVES;

/** Maximum number of texts after one move that link to their statements: each costs the server a search in its task. */
const MAX_LINKED_OUTPUTS = 200;
/** Maximum number of moves out of skipped files in one step; then the step ends in a skipped file. */
const MAX_SKIPPED_STEPS = 100;

export class CdpStepper {
  readonly frames: CallFrames;
  readonly #context: CdpSessionContext;
  readonly #breakpoints: CdpBreakpoints;
  readonly #output: OutputFollower;
  readonly #queue: MoveQueue<PauseReason>;
  /** Patterns of URLs; steps do not end in scripts whose URL matches one. */
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
      maxLocated: MAX_LINKED_OUTPUTS,
      print: ({ stream: to, text, time, statement }) => {
        const location = statement && context.scripts.locationOf(statement);
        printLine(context, { type: to === 'stderr' ? 'error' : 'log', text, time, location });
      },
      hasMore: (from) => printInfo(`output from task ${from} on is not shown; TimeTravel.output prints it`),
      failed: (reason) => printInfo(`the output is not available: ${reason}`),
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
    this.#queue.onArrive = (before, cursor, landed) => {
      // At the start of the recording nothing has been printed, so later moves print the output from its beginning.
      if (cursor.order === 1 && cursor.statement === undefined) this.#output.reset();
      void this.#output.cursorMoved(before, cursor, landed);
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

  /** Prints the output up to the current position. To be called when the client enables its console. */
  printEarlierOutput(): Promise<void> {
    const { cursor } = this;
    // Output that was printed before the console was enabled did not reach the client.
    this.#output.reset();
    const start: CursorInfo = { position: '0.1', order: 1 };
    return this.#output.cursorMoved(start, cursor);
  }

  printOutput(from: number, to: number, signal: AbortSignal): Promise<number> {
    return this.#output.printRange(from, to, signal);
  }

  /** Sets the patterns of script URLs that steps skip. Throws on an invalid pattern. */
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
    // If another move has started meanwhile, its end reports the position.
    if (!this.#isEnabled || this.#queue.isMoving || position !== this.cursor.position) return;
    this.#isPaused = true;
    this.#context.sendEvent('Debugger.paused', {
      callFrames,
      reason,
      data: { position, description },
      hitBreakpoints: breakpointIds,
      ...frames.asyncStack(),
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

  /** Makes a move. Resolves when `Debugger.paused` has been sent. */
  async run(move: QueuedMove<PauseReason>, signal?: AbortSignal): Promise<MoveResult> {
    const result = await this.#queue.enqueue(move, signal);
    await this.#reporting;
    return result;
  }

  get isMoving(): boolean {
    return this.#queue.isMoving;
  }

  /** Sends `Debugger.paused` for the current position. */
  reportPosition(): void {
    this.#reportPaused({ reason: 'other' });
  }

  /** Reports the program as running. For a running program at the end of its recording, which has no later position. */
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

  /** Reports that another client has moved the position, which all clients share. */
  followMove(cursor: CursorInfo, clientId: number): void {
    this.relocate(cursor, `client ${clientId} moved here`);
  }

  /** Reports a new position that no move of this client led to. */
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
        const isSkipped = ({ found, cursor, breakpoints = [] }: MoveResult): boolean =>
          found && breakpoints.length === 0 && this.#isSkipped(cursor);
        for (let i = 0; isSkipped(result) && i < MAX_SKIPPED_STEPS; i++)
          result = await this.#queue.find(
            { move: STEP_MOVES.out[0], direction, from: result.cursor.position },
            options,
          );
        return result.found ? this.#queue.moveTo(result.cursor.position, options) : result;
      },
      reasonOf: (result) => this.#breakpointReason(result) ?? { reason: 'step' },
    };
  }

  #hasMove(id: string): boolean {
    return this.#context.hello.moves.some((move) => move.id === id);
  }

  #isSkipped({ statement }: CursorInfo): boolean {
    const url = statement === undefined ? undefined : this.#context.scripts.scriptOfFile(statement.file)?.url;
    return url !== undefined && this.#skippedUrls.some((each) => each.test(url));
  }

  /** Creates a move to the next breakpoint of any kind, otherwise to the end or start of the recording. */
  continueMove(direction: Direction): QueuedMove<PauseReason> {
    let isAtEdge = false;
    return {
      title: 'to the next breakpoint',
      run: async (options) => {
        const { canStep } = this.#context.hello;
        const result = await this.#queue.continue(direction, canStep, options);
        isAtEdge = result.isEdge === true || !canStep;
        return result;
      },
      reasonOf: (result) => {
        if (result.fatalError !== undefined) return { reason: 'exception', description: result.note };
        if (isAtEdge) return { reason: 'other', description: recordingEdgeText(direction) };
        return this.#breakpointReason(result) ?? { reason: 'other', description: result.note };
      },
    };
  }

  /** The reason of a stop at breakpoints; undefined if the move has not stopped at one. */
  #breakpointReason({ note, breakpoints = [] }: MoveResult): PauseReason | undefined {
    if (breakpoints.length === 0) return undefined;
    const { breakpointIds, isException } = this.#breakpoints.hitsOf(breakpoints);
    return { reason: isException ? 'exception' : 'other', description: note, breakpointIds };
  }

  moveTo(position: string): QueuedMove<PauseReason> {
    const run: QueuedMove<PauseReason>['run'] = (options) => this.#queue.moveTo(position, options);
    return { title: `to ${position}`, run, reasonOf: () => ({ reason: 'other' }) };
  }

  /** Creates any move that the server offers. Throws if it does not offer the move. */
  namedMove(params: ParamsOf<'move'>): QueuedMove<PauseReason> {
    const move = this.#context.hello.moves.find(({ id }) => id === params.move);
    if (move === undefined) {
      const knownMoves = this.#context.hello.moves.map(({ id }) => id).join(', ');
      throw new DevtoolsError('TT_CDP_PARAMS', `there is no move ${params.move}; available: ${knownMoves}`);
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
