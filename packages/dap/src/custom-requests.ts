// The requests `turntable/…` beyond DAP: all moves of the server, the program's output, and other methods of the client
// protocol.
import { moveTitle, type Direction, type OutputFollower } from '@turntable/time-machine/client';
import {
  METHODS,
  type MoveResult,
  type MethodName,
  type ParamsOf,
  type MoveInfo,
} from '@turntable/time-machine/protocol';
import type { DapRequest } from './connection.ts';
import { DapError } from './dap-error.ts';
import type { RequestArguments } from './request-arguments.ts';
import type { SessionContext } from './session-context.ts';
import type { Stepper } from './stepper.ts';

/** Methods with DAP requests of their own: called directly, they would bypass the state that this session keeps. */
const EXCLUDED_METHODS: ReadonlySet<string> = new Set(['hello', 'move', 'addBreakpoint', 'removeBreakpoint']);

export class CustomRequests {
  readonly #context: SessionContext;
  readonly #stepper: Stepper;
  readonly #output: OutputFollower;

  constructor(context: SessionContext, stepper: Stepper, output: OutputFollower) {
    this.#context = context;
    this.#stepper = stepper;
    this.#output = output;
  }

  /** The result of `turntable/moves`: moves, breakpoint kinds, event kinds and task kinds, with titles. */
  get description(): object {
    const { moves, breakpointKinds, eventKinds, taskKinds, recording, taskCount } = this.#context.hello;
    return { moves, breakpointKinds, eventKinds, taskKinds, recording, taskCount };
  }

  /** Handles `turntable/move`: `{move, direction?, arguments?}`. Responds when the move has ended. */
  move({ args, signal }: DapRequest): Promise<MoveResult> {
    const { params, move } = this.#parseMove(args);
    const title = moveTitle(move, params.direction);
    return this.#stepper.enqueue(
      {
        title,
        run: (options) => this.#stepper.move(params, options),
        reasonOf: ({ note }) => ({ reason: 'goto', description: note ?? title }),
      },
      signal,
    );
  }

  /** Handles `turntable/find`: `{move, direction?, arguments?, from?}`. Finds the destination without moving. */
  find({ args, signal }: DapRequest): Promise<MoveResult> {
    const { params } = this.#parseMove(args);
    const from = args.optionalString('from');
    return this.#stepper.find({ ...params, from }, { signal });
  }

  /** Handles `turntable/ask`: `{method, params?}` with a method of docs/internals/protocol.md that is not excluded. */
  async callMethod({ args, signal }: DapRequest): Promise<object> {
    const method = args.string('method');
    if (!Object.hasOwn(METHODS, method) || EXCLUDED_METHODS.has(method)) {
      const knownMethods = Object.keys(METHODS).filter((each) => !EXCLUDED_METHODS.has(each));
      throw new DapError('TT_DAP_ARGUMENTS', `there is no method ${method}; available: ${knownMethods.join(', ')}`);
    }
    const params = (args.raw('params') ?? {}) as ParamsOf<'cursor'>;
    return this.#context.client.request(method as MethodName, params as never, { signal });
  }

  /** Handles `turntable/output`: prints the output of the tasks with orders `{from?, to?}` to the client's console. */
  async output({ args, signal }: DapRequest): Promise<{ writes: number }> {
    const from = args.optionalInteger('from') ?? 1;
    return { writes: await this.#output.printRange(Math.max(1, from), args.optionalInteger('to') ?? Infinity, signal) };
  }

  #parseMove(args: RequestArguments): { readonly params: ParamsOf<'move'>; readonly move: MoveInfo } {
    const id = args.string('move');
    const move = this.#context.hello.moves.find((each) => each.id === id);
    if (move === undefined) {
      const knownMoves = this.#context.hello.moves.map((each) => each.id).join(', ');
      throw new DapError('TT_DAP_ARGUMENTS', `there is no move ${id}; available: ${knownMoves}`);
    }
    const direction = args.optionalString('direction');
    if (direction !== undefined && direction !== 'forward' && direction !== 'backward')
      throw new DapError('TT_DAP_ARGUMENTS', `direction must be forward or backward, not ${direction}`);
    const params = { move: id, direction: direction as Direction | undefined, arguments: args.scalars('arguments') };
    return { params, move };
  }
}
