// The stack where all stand: frames of the call that runs, and behind them, under a label, who has sent what this turn is about, who has sent that, and so on back: each a frame at the statement
// that sent. Who does not run has no stack: its frame says what waits for it. Only what is asked for is looked for: the first frame costs nothing, a sender that its stretch is noted.
import {
  allResidents,
  beginningPlace,
  Numbered,
  sendersOf,
  type Place,
  type Resident,
} from '@turntable/time-machine/client';
import type { ResultOf, Where } from '@turntable/time-machine/protocol';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Actors } from './actors.ts';
import { DapError } from './dap-error.ts';
import type { Ground } from './ground.ts';
import type { Sources, ToldSource } from './sources.ts';
import type { Told } from './told.ts';

type Frame = ResultOf<'frames'>['frames'][number];
type ToldFrame = Told<Omit<DebugProtocol.StackFrame, 'source'>> & { readonly source?: ToldSource | undefined };

export type FrameOf =
  | { readonly is: 'call'; readonly index: number; readonly position: string | undefined; readonly hasLocals: boolean }
  | { readonly is: 'sender'; readonly position: string }
  /** It does not run, or is about to. */
  | { readonly is: 'actor'; readonly thread: number; readonly position: string | undefined }
  | { readonly is: 'label' };

/** Senders that are told of if nobody says how many, and at most. */
const SENDERS = 20;
const MOST_SENDERS = 1000;

export class Stack {
  readonly #ground: Ground;
  readonly #actors: Actors;
  readonly #sources: Sources;
  readonly #where: () => Where;
  readonly #frames = new Numbered<FrameOf>();
  /** By what they are of. */
  readonly #numbers = new Map<string, number>();
  #own: Promise<readonly Frame[]> | undefined;
  #residents: Promise<readonly Resident[]> | undefined;
  #first: Promise<Place | undefined> | undefined;

  constructor(ground: Ground, parts: { actors: Actors; sources: Sources; where: () => Where }) {
    this.#ground = ground;
    this.#actors = parts.actors;
    this.#sources = parts.sources;
    this.#where = parts.where;
  }

  forget(): void {
    this.#frames.forget();
    this.#numbers.clear();
    this.#own = this.#residents = this.#first = undefined;
  }

  frame(id: number): FrameOf {
    const frame = this.#frames.get(id);
    if (frame !== undefined) return frame;
    throw new DapError('TT_DAP_NOT_THERE', `there is no frame ${id} here: they are forgotten when all go elsewhere`);
  }

  /** @param levels 0 for all */
  async frames(
    thread: number,
    { start = 0, levels = 0 }: { readonly start: number | undefined; readonly levels: number | undefined },
  ): Promise<{ stackFrames: ToldFrame[]; totalFrames: number | undefined }> {
    const end = levels === 0 ? Infinity : start + levels;
    this.#actors.named(thread);
    if (thread !== this.#actors.threadAt(this.#where())) return all([await this.#idle(thread)], start, end);
    const { statement } = this.#where();
    const isFirstOnly = start === 0 && end === 1;
    const own =
      statement === undefined
        ? [await this.#beginning(thread)]
        : isFirstOnly
          ? [await this.#call({ index: 0, function: statement.function, hasLocals: true })]
          : await this.#calls();
    if (end <= own.length) return { stackFrames: own.slice(start, end), totalFrames: undefined };
    const count = end === Infinity ? SENDERS : Math.min(MOST_SENDERS, end - own.length - 1);
    const { senders, isAll } = await this.#senders(count);
    const label = senders.length === 0 ? [] : [this.#label('sent by')];
    const frames = [...own, ...label, ...senders];
    return { stackFrames: frames.slice(start, end), totalFrames: isAll ? frames.length : undefined };
  }

  /** An actor as it is where all stand. */
  async resident(thread: number): Promise<Resident | undefined> {
    const { worker, name } = this.#actors.named(thread);
    this.#residents ??= allResidents(this.#ground.client);
    return (await this.#residents).find((each) => each.worker === worker && each.name === name);
  }

  /** Where nothing of a turn has begun, or nothing runs any more: the frame that says so. */
  async #beginning(thread: number): Promise<ToldFrame> {
    const { stretch, position } = this.#where();
    if (stretch === undefined) return this.#label('the end of the recording');
    this.#first ??= beginningPlace(this.#ground.client, this.#ground.hello, this.#where());
    return {
      id: this.#numberOf('beginning', { is: 'actor', thread, position }),
      name: `${stretch.title}, before its first statement`,
      ...(await this.#placed(await this.#first)),
    };
  }

  async #calls(): Promise<ToldFrame[]> {
    this.#own ??= this.#ground.client.request('frames', {}).then(({ frames }) => frames);
    return Promise.all((await this.#own).map((each) => this.#call(each)));
  }

  async #call({ index, function: name, place, hasLocals, position }: Frame): Promise<ToldFrame> {
    const isHere = index === 0;
    const here = this.#where();
    return {
      id: this.#numberOf(`call ${index}`, {
        is: 'call',
        index,
        position: isHere ? here.position : position,
        hasLocals,
      }),
      name: name === '' ? '(the file itself)' : name,
      ...(await this.#placed(isHere ? (here.statement ?? place) : place)),
      canRestart: isHere || position !== undefined,
      presentationHint: hasLocals ? 'normal' : 'subtle',
    };
  }

  async #senders(count: number): Promise<{ senders: ToldFrame[]; isAll: boolean }> {
    const { senders, isAll } = await sendersOf(this.#ground.client, count);
    const told = senders.map(async ({ name, position, place }, i): Promise<ToldFrame> => {
      const id = this.#numberOf(`sender ${i}`, { is: 'sender', position });
      return { id, name, ...(await this.#placed(place)), canRestart: true, presentationHint: 'subtle' };
    });
    return { senders: await Promise.all(told), isAll };
  }

  async #idle(thread: number): Promise<ToldFrame> {
    const resident = await this.resident(thread);
    const waits = resident === undefined ? 'is not there, or is the outside of actors' : waitingText(resident.waiting);
    return {
      id: this.#numberOf(`actor ${thread}`, { is: 'actor', thread, position: undefined }),
      name: `does not run: ${waits}`,
      line: 0,
      column: 0,
      presentationHint: 'subtle',
    };
  }

  #label(name: string): ToldFrame {
    const id = this.#numberOf(`label ${name}`, { is: 'label' });
    return { id, name, line: 0, column: 0, presentationHint: 'label' };
  }

  async #placed(
    place: Place | undefined,
  ): Promise<Pick<ToldFrame, 'source' | 'line' | 'column' | 'endLine' | 'endColumn'>> {
    if (place === undefined) return { line: 0, column: 0 };
    const { counting } = this.#ground;
    const { file, line, column, endLine, endColumn } = place;
    return {
      source: await this.#sources.told(file),
      line: counting.lineTo(line),
      column: counting.columnTo(column),
      endLine: endLine && counting.lineTo(endLine),
      endColumn: endColumn && counting.columnTo(endColumn),
    };
  }

  /** The same for the same frame, however often it is asked for. */
  #numberOf(key: string, frame: FrameOf): number {
    let number = this.#numbers.get(key);
    if (number === undefined) this.#numbers.set(key, (number = this.#frames.add(frame)));
    return number;
  }
}

function all(frames: ToldFrame[], start: number, end: number): { stackFrames: ToldFrame[]; totalFrames: number } {
  return { stackFrames: frames.slice(start, end), totalFrames: frames.length };
}

function waitingText(count: number): string {
  if (count === 0) return 'nothing waits for it';
  return count === 1 ? '1 message waits for it' : `${count} messages wait for it`;
}
