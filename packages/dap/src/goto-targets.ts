// Goto targets: a line of a file is many times of a recording. Those are told that people mean: the next time that it is run, the last one before, the first and the last of all.
import { compareSpots, logged, Numbered, spotOf } from '@turntable/time-machine/client';
import type { ParamsOf } from '@turntable/time-machine/protocol';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Asked } from './conversation.ts';
import { DapError } from './dap-error.ts';
import type { Ground } from './ground.ts';
import type { EditorGoing, Journey } from './journey.ts';
import type { Sources } from './sources.ts';

export class GotoTargets {
  readonly #ground: Ground;
  readonly #sources: Sources;
  readonly #journey: Journey;
  readonly #positions = new Numbered<string>();

  constructor(ground: Ground, sources: Sources, journey: Journey) {
    this.#ground = ground;
    this.#sources = sources;
    this.#journey = journey;
  }

  async targets({ given, signal }: Asked): Promise<DebugProtocol.GotoTarget[]> {
    const line = given.integer('line');
    const file = this.#sources.meant(given.part('source'));
    if (file === undefined) throw new DapError('TT_DAP_NOT_THERE', 'the recording has no such file');
    const { counting } = this.#ground;
    const column = given.optionalInteger('column');
    const place = {
      file: file.replace(/^\//, ''),
      line: counting.lineFrom(line),
      column: column === undefined || column < 2 ? undefined : counting.columnFrom(column),
    };
    const all = await this.#times(place, signal);
    const here = spotOf(this.#journey.where);
    const side = (position: string): number => compareSpots(spotOf({ position, order: this.#orderOf(position) }), here);
    const meant = new Map<string, string>();
    const offer = (label: string, position: string | undefined): void => {
      if (position !== undefined && !meant.has(position)) meant.set(position, label);
    };
    offer(
      'the next time',
      all.find((position) => side(position) > 0),
    );
    offer(
      'the time before',
      all.findLast((position) => side(position) < 0),
    );
    offer('the first time', all[0]);
    offer('the last time', all.at(-1));
    return [...meant].map(([position, label]) => ({
      id: this.#positions.add(position),
      label: `${label} of ${all.length}, at ${position}`,
      line,
    }));
  }

  going(target: number): EditorGoing {
    const position = this.#positions.get(target);
    if (position === undefined)
      throw new DapError('TT_DAP_NOT_THERE', `there is no target ${target}: gotoTargets tells of them`);
    const lead: EditorGoing['lead'] = (options) => this.#journey.to(position, options);
    return { title: `to ${position}`, lead, reason: () => ({ reason: 'goto' }) };
  }

  /** Positions of all times that a line, or a statement of it, is run. */
  async #times(place: Pick<ParamsOf<'log'>, 'file' | 'line' | 'column'>, signal: AbortSignal): Promise<string[]> {
    const found: string[] = [];
    for await (const { position } of logged(this.#ground.client, { ...place, log: '0' }, { signal }))
      found.push(position);
    return found;
  }

  /** The place of its stretch among all. */
  #orderOf(position: string): number {
    const [, phase, number] = /^(\d+)\.(\d+)/.exec(position) ?? [];
    const its = this.#ground.hello.phases.find((each) => each.phase === Number(phase));
    return (its?.begin ?? 1) + Number(number) - 1;
  }
}
