// Data breakpoints. In DAP a data breakpoint stops at the next write; in a recording all writes have happened. Here a
// data breakpoint is a chain of writes, from the position where it was set backwards, each found from the later one.
// Going backward stops at the next write of the chain and extends the chain. Going forward stops at the writes that
// the chain already has.
import { comparePositionKeys, positionKey, type Direction, type RequestOptions } from '@turntable/time-machine/client';
import type { MoveResult, ParamsOf, CursorInfo } from '@turntable/time-machine/protocol';
import type { RequestArguments } from './request-arguments.ts';
import type { SessionContext } from './session-context.ts';

/** The decoded `dataId` of a data breakpoint. */
interface DataId {
  readonly expression: string;
  /** The position at which the expression is evaluated. */
  readonly position: string;
}

interface WriteChain extends DataId {
  readonly id: number;
  /** The writes found so far, the latest first. */
  readonly writes: MoveResult[];
  /** The reason why the chain has no earlier write; undefined while there may be one. */
  endReason: string | undefined;
}

export interface DataBreakpointHit {
  readonly result: MoveResult;
  readonly id: number;
  readonly expression: string;
}

const LAST_WRITE_MOVE = 'last-write';

export class DataBreakpoints {
  readonly #context: SessionContext;
  #chains: WriteChain[] = [];

  constructor(context: SessionContext) {
    this.#context = context;
  }

  get isEmpty(): boolean {
    return this.#chains.length === 0;
  }

  /** Handles `setDataBreakpoints`: replaces all data breakpoints. */
  set(args: RequestArguments): { id: number; verified: boolean; message?: string }[] {
    const previous = this.#chains;
    this.#chains = [];
    return args.objects('breakpoints').map((each) => {
      const dataId = decodeDataId(each.string('dataId'));
      const accessType = each.optionalString('accessType') ?? 'write';
      const problem =
        dataId === undefined
          ? 'this is none of the ids that dataBreakpointInfo gives'
          : accessType !== 'write'
            ? 'a recording has writes only: reads cannot be found'
            : each.has('condition') || each.has('hitCondition')
              ? 'it stops at each write: it takes no condition'
              : undefined;
      if (dataId === undefined || problem !== undefined)
        return { id: this.#context.nextBreakpointId(), verified: false, message: problem ?? '' };
      const existing = previous.find(
        ({ expression, position }) => expression === dataId.expression && position === dataId.position,
      );
      const chain = existing ?? { ...dataId, id: this.#context.nextBreakpointId(), writes: [], endReason: undefined };
      this.#chains.push(chain);
      return { id: chain.id, verified: true };
    });
  }

  /** Returns the nearest write of each chain in a direction; chains without a write there are omitted. */
  async next(from: CursorInfo, direction: Direction, options: RequestOptions): Promise<DataBreakpointHit[]> {
    const found: DataBreakpointHit[] = [];
    for (const chain of this.#chains) {
      const result = await this.#nextOf(chain, from, direction, options);
      if (result !== undefined) found.push({ result, id: chain.id, expression: chain.expression });
    }
    return found;
  }

  async #nextOf(
    chain: WriteChain,
    from: CursorInfo,
    direction: Direction,
    options: RequestOptions,
  ): Promise<MoveResult | undefined> {
    const fromKey = positionKey(from);
    const compareToFrom = ({ cursor }: MoveResult): number => comparePositionKeys(positionKey(cursor), fromKey);
    const isKnown = (): boolean =>
      chain.endReason !== undefined || chain.writes.some((each) => compareToFrom(each) < 0);
    while (!isKnown()) await this.#extend(chain, options);
    return direction === 'backward'
      ? chain.writes.find((each) => compareToFrom(each) < 0)
      : chain.writes.findLast((each) => compareToFrom(each) > 0);
  }

  /** Finds the destination of a move. If the request fails, returns `found: false` with the error as the reason. */
  async #find(params: ParamsOf<'find'>, options: RequestOptions): Promise<MoveResult> {
    try {
      return await this.#context.client.request('find', params, options);
    } catch (error) {
      if (options.signal?.aborted === true) throw error;
      return { found: false, reason: (error as Error).message, cursor: this.#context.hello.cursor };
    }
  }

  async #extend(chain: WriteChain, options: RequestOptions): Promise<void> {
    const from = chain.writes.at(-1)?.cursor.position ?? chain.position;
    const params = { move: LAST_WRITE_MOVE, arguments: { expression: chain.expression }, from };
    const result = await this.#find(params, options);
    const last = chain.writes.at(-1);
    const isEarlier =
      last === undefined || comparePositionKeys(positionKey(result.cursor), positionKey(last.cursor)) < 0;
    if (!result.found || !isEarlier) {
      chain.endReason = result.reason ?? 'there is no earlier write';
      return;
    }
    chain.writes.push(result);
    // A value received with a call or message has another name at the sender, so this expression cannot be traced
    // further.
    if (result.lastWrite?.kind !== 'written') chain.endReason = 'the value was received there';
  }
}

export function encodeDataId(expression: string, position: string): string {
  return JSON.stringify({ expression, position } satisfies DataId);
}

function decodeDataId(text: string): DataId | undefined {
  try {
    const { expression, position } = JSON.parse(text) as Partial<DataId>;
    return typeof expression === 'string' && typeof position === 'string' ? { expression, position } : undefined;
  } catch {
    return undefined;
  }
}
