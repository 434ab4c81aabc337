// An open recording: the handlers of all requests about it. Requests that move respond at once, and a `stopped` event
// follows when the move has ended. The position belongs to the server and is shared by all of its clients.
import { COMMANDS, recordingEdgeText, OutputFollower, type Direction } from '@turntable/time-machine/client';
import type { MoveResult } from '@turntable/time-machine/protocol';
import { ActorThreads } from './actor-threads.ts';
import { Breakpoints, type DapBreakpoint } from './breakpoints.ts';
import type { DapRequestHandler, DapRequest } from './connection.ts';
import { CustomRequests } from './custom-requests.ts';
import { Evaluator } from './evaluator.ts';
import { exceptionInfo } from './exception-info.ts';
import type { SessionContext } from './session-context.ts';
import { GotoTargets } from './goto-targets.ts';
import { Stepper, type DapMove, type StopReason } from './stepper.ts';
import { LogPoints } from './log-points.ts';
import { Sources } from './sources.ts';
import { Stack } from './stack.ts';
import { VariableStore } from './variable-store.ts';

/** Requests that make the move of the command with this request in the table of commands. */
const STEP_REQUESTS = ['next', 'stepIn', 'stepOut', 'stepBack'] as const;

export class Debuggee {
  readonly stepper: Stepper;
  /** The position of the last stop at breakpoints, and the event kinds of the breakpoints hit there. */
  #lastHit: { readonly position: string; readonly kinds: readonly string[] } | undefined;
  /** Settles when all breakpoint requests so far are handled: a move stops at the breakpoints that were set before it. */
  #breakpointsSet: Promise<unknown> = Promise.resolve();
  readonly #context: SessionContext;
  readonly #actors: ActorThreads;
  readonly #sources: Sources;
  readonly #stack: Stack;
  readonly #variables: VariableStore;
  readonly #breakpoints: Breakpoints;
  readonly #logPoints: LogPoints;
  readonly #evaluator: Evaluator;
  readonly #output: OutputFollower;
  readonly #gotoTargets: GotoTargets;
  readonly #customRequests: CustomRequests;

  private constructor(context: SessionContext, actors: ActorThreads, sources: Sources) {
    this.#context = context;
    this.#actors = actors;
    this.#sources = sources;
    this.stepper = new Stepper(context, actors);
    const cursor = () => this.stepper.cursor;
    this.#stack = new Stack(context, { actors, sources, cursor });
    this.#variables = new VariableStore(context);
    this.#evaluator = new Evaluator(context, this.#stack, this.#variables);
    this.#logPoints = new LogPoints(context, sources, this.#variables);
    this.#breakpoints = new Breakpoints(context, sources, this.#logPoints);
    this.#output = new OutputFollower(context.client, {
      print: ({ stream: to, text }) => context.emitEvent('output', { category: to, output: `${text}\n` }),
      hasMore: (from) =>
        context.printLine(`output from task ${from} on is not shown; the request turntable/output prints it`),
      failed: (reason) => context.printLine(`the output is not available: ${reason}`),
    });
    this.#gotoTargets = new GotoTargets(context, sources, this.stepper);
    this.#customRequests = new CustomRequests(context, this.stepper, this.#output);
    this.stepper.onLeave = () => {
      this.#stack.clear();
      this.#variables.clear();
    };
    this.stepper.onArrive = (before, after, landed) => void this.#output.cursorMoved(before, after, landed);
    context.client.onMoved = ({ client: by, cursor }) => this.stepper.followMove(cursor, by);
  }

  /** @param maxThreads maximum number of listed threads */
  static async create(context: SessionContext, maxThreads: number): Promise<Debuggee> {
    const [actors, sources] = await Promise.all([ActorThreads.read(context, maxThreads), Sources.read(context)]);
    return new Debuggee(context, actors, sources);
  }

  /** Starts the log points. To be called after the client has set all breakpoints. */
  startLogPoints(): void {
    this.#logPoints.start();
  }

  /** Cancels the current move and removes the client's breakpoints from the server. */
  async detach(): Promise<void> {
    this.stepper.cancel();
    await this.#breakpoints.clear();
  }

  /** Prints no output of tasks before this one, until the session is restarted. */
  skipOutputBefore(order: number): void {
    this.#output.skipBefore(order);
  }

  /** Moves to a position, and from there to the next breakpoint. */
  continueFrom(position: string): Promise<MoveResult> {
    const move = this.#continueMove('forward');
    const run: DapMove['run'] = async (options) => {
      await this.#breakpointsSet;
      await this.stepper.moveTo(position, options);
      return move.run(options);
    };
    return this.stepper.enqueue({ ...move, run });
  }

  /**
   * Moves to the start or end of the recording, or to the statement at which the program ended.
   * @param reason reported with the stop
   */
  goTo(target: 'start' | 'last' | 'end', reason: string): Promise<MoveResult> {
    if (target === 'start') this.#output.reset();
    return this.stepper.enqueue({
      title: target === 'start' ? 'to the start' : 'to the end',
      run: (options) => this.stepper.moveTo(target, options),
      reasonOf: (result) => this.#endReason(result) ?? { reason },
    });
  }

  readonly handlers: Readonly<Record<string, DapRequestHandler>> = {
    threads: () => ({ threads: this.#actors.threads(this.stepper.cursor) }),
    stackTrace: ({ args }) =>
      this.#stack.frames(args.integer('threadId'), {
        start: args.optionalInteger('startFrame'),
        levels: args.optionalInteger('levels'),
      }),
    scopes: ({ args }) => this.#evaluator.scopes(args.integer('frameId')),
    variables: async ({ args }) => ({
      variables: await this.#variables.variables(args.integer('variablesReference'), {
        start: args.optionalInteger('start'),
        count: args.optionalInteger('count'),
      }),
    }),
    evaluate: ({ args, signal }) => this.#evaluator.evaluate(args, signal),
    completions: async ({ args, signal }) => ({ targets: await this.#evaluator.completions(args, signal) }),
    source: async ({ args }) => {
      const text = await this.#sources.text(args.optionalObject('source'), args.optionalInteger('sourceReference'));
      return { content: text };
    },
    loadedSources: async () => ({ sources: await this.#sources.all() }),
    setBreakpoints: ({ args }) => this.#setBreakpoints(this.#breakpoints.setLines(args)),
    breakpointLocations: async ({ args }) => ({ breakpoints: await this.#breakpoints.locations(args) }),
    setFunctionBreakpoints: ({ args }) => this.#setBreakpoints(this.#breakpoints.setFunctions(args)),
    setExceptionBreakpoints: ({ args }) => this.#setBreakpoints(this.#breakpoints.setExceptions(args)),
    dataBreakpointInfo: ({ args }) => this.#evaluator.dataBreakpointInfo(args, this.stepper.cursor),
    setDataBreakpoints: ({ args }) => this.#setBreakpoints(this.#breakpoints.setData(args)),
    continue: (request) => {
      this.#startMove(request, this.#continueMove('forward'));
      return { allThreadsContinued: true };
    },
    reverseContinue: (request) => this.#startMove(request, this.#continueMove('backward')),
    ...Object.fromEntries(STEP_REQUESTS.map((name) => [name, (request: DapRequest) => this.#startStep(request, name)])),
    pause: ({ afterResponse }) => afterResponse(() => this.stepper.pause()),
    exceptionInfo: () => {
      const { cursor } = this.stepper;
      const kinds = this.#lastHit?.position === cursor.position ? this.#lastHit.kinds : [];
      return exceptionInfo(this.#context, cursor, kinds);
    },
    gotoTargets: async (request) => ({ targets: await this.#gotoTargets.targets(request) }),
    goto: (request) => this.#startMove(request, this.#gotoTargets.moveTo(request.args.integer('targetId'))),
    restartFrame: async (request) => {
      const frame = this.#stack.frame(request.args.integer('frameId'));
      const isInnermost = frame.kind === 'call' && frame.index === 0;
      const startPosition = isInnermost ? this.stepper.cursor.task?.position : undefined;
      const position = startPosition ?? (await this.#evaluator.positionOf(frame));
      const run: DapMove['run'] = (options) => this.stepper.moveTo(position, options);
      return this.#startMove(request, { title: `to ${position}`, run, reasonOf: () => ({ reason: 'goto' }) });
    },
    'turntable/moves': () => this.#customRequests.description,
    'turntable/cursor': () => this.stepper.cursor,
    'turntable/move': (request) => this.#customRequests.move(request),
    'turntable/find': (request) => this.#customRequests.find(request),
    'turntable/ask': (request) => this.#customRequests.callMethod(request),
    'turntable/output': (request) => this.#customRequests.output(request),
  };

  async #setBreakpoints(set: Promise<DapBreakpoint[]>): Promise<{ readonly breakpoints: DapBreakpoint[] }> {
    this.#breakpointsSet = Promise.allSettled([this.#breakpointsSet, set]);
    return { breakpoints: await set };
  }

  /** Enqueues a move after the response has been sent. The stop is reported when the move has ended. */
  #startMove({ afterResponse }: DapRequest, move: DapMove): void {
    const run: DapMove['run'] = async (options) => {
      await this.#breakpointsSet;
      return move.run(options);
    };
    afterResponse(() => void this.stepper.enqueue({ ...move, run }));
  }

  #startStep(request: DapRequest, name: string): void {
    const { args } = request;
    const { id = '', direction = 'forward' } = COMMANDS.find(({ dapRequest }) => dapRequest === name)?.move ?? {};
    const isInstruction = args.optionalString('granularity') === 'instruction';
    const run = this.stepper.step(isInstruction ? 'stepi' : id, direction, args.optionalInteger('threadId'));
    const reasonOf: DapMove['reasonOf'] = (result) => this.#breakpointReason(result) ?? { reason: 'step' };
    return this.#startMove(request, { title: 'a step', run, reasonOf });
  }

  /** Creates a move to the next breakpoint, otherwise to the end or start of the recording. */
  #continueMove(direction: Direction): DapMove {
    const isForward = direction === 'forward';
    const { canStep } = this.#context.hello;
    return {
      title: isForward ? 'to the next breakpoint' : 'to the breakpoint before',
      run: (options) => this.stepper.continue(direction, canStep, options),
      reasonOf: (result) => {
        const { isEdge = !canStep } = result;
        const endReason = this.#endReason(result);
        if (endReason !== undefined) return endReason;
        if (isEdge) return { reason: isForward ? 'pause' : 'entry', description: recordingEdgeText(direction) };
        return this.#breakpointReason(result) ?? { reason: 'pause', description: result.note };
      },
    };
  }

  /** The reason of a stop at the statement whose error ended the program; undefined if the stop is another one. */
  #endReason({ cursor, fatalError, note }: MoveResult): StopReason | undefined {
    if (fatalError === undefined) return undefined;
    this.#lastHit = { position: cursor.position, kinds: ['uncaught'] };
    return { reason: 'exception', description: note };
  }

  /** The reason of a stop at breakpoints; undefined if the move has not stopped at one. */
  #breakpointReason({ cursor, note, breakpoints = [] }: MoveResult): StopReason | undefined {
    if (breakpoints.length === 0) return undefined;
    const { kinds, ...reason } = this.#breakpoints.hitsOf(breakpoints);
    this.#lastHit = { position: cursor.position, kinds };
    return { ...reason, description: note };
  }
}
