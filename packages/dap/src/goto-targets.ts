// The goto targets of a line: its next, previous, first and last execution, found by a log point over the recording.
import { comparePositionKeys, logPointHits, HandleTable, positionKey } from '@turntable/time-machine/client';
import type { ParamsOf } from '@turntable/time-machine/protocol';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { DapRequest } from './connection.ts';
import { DapError } from './dap-error.ts';
import type { SessionContext } from './session-context.ts';
import type { DapMove, Stepper } from './stepper.ts';
import type { Sources } from './sources.ts';

export class GotoTargets {
  readonly #context: SessionContext;
  readonly #sources: Sources;
  readonly #stepper: Stepper;
  readonly #positions = new HandleTable<string>();

  constructor(context: SessionContext, sources: Sources, stepper: Stepper) {
    this.#context = context;
    this.#sources = sources;
    this.#stepper = stepper;
  }

  async targets({ args, signal }: DapRequest): Promise<DebugProtocol.GotoTarget[]> {
    const line = args.integer('line');
    const file = this.#sources.resolve(args.object('source'));
    if (file === undefined)
      throw new DapError('TT_DAP_NOT_THERE', 'the recording has no such file; loadedSources lists its files');
    const { numbering } = this.#context;
    const column = args.optionalInteger('column');
    const location = {
      file: file.replace(/^\//, ''),
      line: numbering.fromClientLine(line),
      column: column === undefined ? undefined : numbering.fromClientColumn(column),
    };
    const positions = await this.#positionsOf(location, signal);
    const current = positionKey(this.#stepper.cursor);
    const compareToCurrent = (position: string): number =>
      comparePositionKeys(positionKey({ position, order: this.#orderOf(position) }), current);
    const labels = new Map<string, string>();
    const addLabel = (label: string, position: string | undefined): void => {
      if (position !== undefined && !labels.has(position)) labels.set(position, label);
    };
    addLabel(
      'next',
      positions.find((position) => compareToCurrent(position) > 0),
    );
    addLabel(
      'previous',
      positions.findLast((position) => compareToCurrent(position) < 0),
    );
    addLabel('first', positions[0]);
    addLabel('last', positions.at(-1));
    const count = positions.length === 1 ? '1 execution' : `${positions.length} executions`;
    return [...labels].map(([position, label]) => ({
      id: this.#positions.add(position),
      label: `${label} of ${count}, at ${position}`,
      line,
    }));
  }

  moveTo(targetId: number): DapMove {
    const position = this.#positions.get(targetId);
    if (position === undefined)
      throw new DapError('TT_DAP_NOT_THERE', `there is no target ${targetId}; use an id that gotoTargets returned`);
    const run: DapMove['run'] = (options) => this.#stepper.moveTo(position, options);
    return { title: `to ${position}`, run, reasonOf: () => ({ reason: 'goto' }) };
  }

  /** Returns all positions at which a line, or the statement at its column, is executed, in order. */
  async #positionsOf(
    location: Pick<ParamsOf<'logPoint'>, 'file' | 'line' | 'column'>,
    signal: AbortSignal,
  ): Promise<string[]> {
    const found: string[] = [];
    for await (const { position } of logPointHits(
      this.#context.client,
      { ...location, logExpression: '0' },
      { signal },
    ))
      found.push(position);
    return found;
  }

  /** Returns the order of a position's task: its number among all tasks of the recording, from 1 on. */
  #orderOf(position: string): number {
    const [, phase, index] = /^(\d+)\.(\d+)/.exec(position) ?? [];
    const phaseInfo = this.#context.hello.phases.find((each) => each.phase === Number(phase));
    return (phaseInfo?.firstTask ?? 1) + Number(index) - 1;
  }
}
