// Requests that the protocol does not have: every move that the time machine describes, with what it takes, and whatever else it answers. Nothing here has a list of moves.
import { titleOf, type Direction, type Printed } from '@turntable/time-machine/client';
import { METHODS, type Landed, type MethodName, type ParamsOf, type ToldMove } from '@turntable/time-machine/protocol';
import type { Asked } from './conversation.ts';
import { DapError } from './dap-error.ts';
import type { Given } from './given.ts';
import type { Ground } from './ground.ts';
import type { Journey } from './journey.ts';

/** Of the protocol, what is done here by other requests, which know who asks. */
const NOT_ASKED: ReadonlySet<string> = new Set(['hello', 'move', 'break', 'unbreak']);

export class Customs {
  readonly #ground: Ground;
  readonly #journey: Journey;
  readonly #printed: Printed;

  constructor(ground: Ground, journey: Journey, printed: Printed) {
    this.#ground = ground;
    this.#journey = journey;
    this.#printed = printed;
  }

  /** What there is to move by, and to stop at, with titles. */
  get described(): object {
    const { moves, breakpoints, marks, kinds, recording, stretches } = this.#ground.hello;
    return { moves, breakpoints, marks, kinds, recording, stretches };
  }

  /** `{move, direction?, arguments?}`. Answered when all stand there. */
  move({ given, signal }: Asked): Promise<Landed> {
    const { wanted, move } = this.#wanted(given);
    const title = titleOf(move, wanted.direction);
    return this.#journey.go(
      {
        title,
        lead: (options) => this.#journey.move(wanted, options),
        reason: ({ note }) => ({ reason: 'goto', description: note ?? title }),
      },
      signal,
    );
  }

  /** The same with `from`; nobody goes anywhere. */
  find({ given, signal }: Asked): Promise<Landed> {
    const { wanted } = this.#wanted(given);
    const from = given.optionalText('from');
    return this.#journey.find({ ...wanted, from }, { signal });
  }

  /** `{method, params?}`: what docs/protocol.md has. */
  async ask({ given, signal }: Asked): Promise<object> {
    const method = given.text('method');
    if (!Object.hasOwn(METHODS, method) || NOT_ASKED.has(method)) {
      const known = Object.keys(METHODS).filter((each) => !NOT_ASKED.has(each));
      throw new DapError('TT_DAP_ARGUMENTS', `there is no method ${method} to be asked; there are ${known.join(', ')}`);
    }
    const params = (given.raw('params') ?? {}) as ParamsOf<'where'>;
    return this.#ground.client.request(method as MethodName, params as never, { signal });
  }

  /** `{from?, to?}`, places of stretches among all: what was printed there, to the console. */
  async output({ given, signal }: Asked): Promise<{ writes: number }> {
    const from = given.optionalInteger('from') ?? 1;
    return { writes: await this.#printed.all(Math.max(1, from), given.optionalInteger('to') ?? Infinity, signal) };
  }

  #wanted(given: Given): { readonly wanted: ParamsOf<'move'>; readonly move: ToldMove } {
    const id = given.text('move');
    const move = this.#ground.hello.moves.find((each) => each.id === id);
    if (move === undefined) {
      const known = this.#ground.hello.moves.map((each) => each.id).join(', ');
      throw new DapError('TT_DAP_ARGUMENTS', `there is no move ${id}; there are ${known}`);
    }
    const direction = given.optionalText('direction');
    if (direction !== undefined && direction !== 'forward' && direction !== 'backward')
      throw new DapError('TT_DAP_ARGUMENTS', `a direction is forward or backward, not ${direction}`);
    const wanted = { move: id, direction: direction as Direction | undefined, arguments: given.values('arguments') };
    return { wanted, move };
  }
}
