// The stack where all stand, as `Debugger.paused` tells it: there is always a frame, since clients step on by themselves from where there is none. Behind it, when it is asked for, who has sent what
// this turn is about, who has sent that, and so on back, as the stack of asynchronous calls.
import { beginningPlace, sendersOf } from '@turntable/time-machine/client';
import type { ResultOf, ToldStretch, Where } from '@turntable/time-machine/protocol';
import { DevtoolsError } from './devtools-error.ts';
import type { Ground } from './ground.ts';
import type { RemoteObject } from './remote-object.ts';
import type { RemoteObjects } from './remote-objects.ts';
import type { Location } from './scripts.ts';

type SeenFrame = ResultOf<'frames'>['frames'][number];

export interface CallFrame {
  readonly callFrameId: string;
  readonly functionName: string;
  readonly location: Location;
  readonly url: string;
  readonly scopeChain: readonly object[];
  readonly this: RemoteObject;
  readonly canBeRestarted: boolean;
}

export interface FrameHere {
  readonly index: number;
  /** Where it stands, if that is known. */
  readonly position: string | undefined;
  readonly hasLocals: boolean;
}

/** Senders that are told of unless somebody says how many. */
const SENDERS = 20;
const MOST_SENDERS = 1000;

export class CallFrames {
  readonly #ground: Ground;
  readonly #objects: RemoteObjects;
  readonly #where: () => Where;
  readonly #frames = new Map<string, FrameHere>();
  /** How often all have gone elsewhere. */
  #epoch = 0;
  /** How many senders are told of. */
  depth: number = SENDERS;

  constructor(ground: Ground, objects: RemoteObjects, where: () => Where) {
    this.#ground = ground;
    this.#objects = objects;
    this.#where = where;
  }

  /** By which the senders of here can be asked for. */
  get sendersId(): string {
    return `senders ${this.#epoch}`;
  }

  forget(): void {
    this.#epoch++;
    this.#frames.clear();
  }

  frame(id: string): FrameHere {
    const frame = this.#frames.get(id);
    if (frame !== undefined) return frame;
    throw new DevtoolsError('TT_CDP_NOT_THERE', 'Could not find call frame with given id');
  }

  at(position: string): FrameHere {
    const frame = [...this.#frames.values()].find((each) => each.position === position);
    if (frame !== undefined) return frame;
    throw new DevtoolsError('TT_CDP_NOT_THERE', `No function stands at ${position} here`);
  }

  async all(): Promise<CallFrame[]> {
    const { stretch, statement, position } = this.#where();
    if (stretch === undefined) return [await this.#bare('the end of the recording', this.#ground.scripts.atEnd())];
    if (statement === undefined) {
      const { client, hello, scripts, entry } = this.#ground;
      const name = `${stretch.title}, before its first statement`;
      // To look for that of a whole program takes as long as it does.
      const begin = isOfProgram(stretch) ? scripts.beginOf(entry) : undefined;
      if (begin !== undefined) return [await this.#bare(name, begin)];
      const place = await beginningPlace(client, hello, this.#where());
      return [await this.#bare(name, (place && scripts.locationOf(place)) ?? scripts.elsewhere())];
    }
    const { frames } = await this.#ground.client.request('frames', {});
    const told = frames.map((each) =>
      this.#call(each, each.index === 0 ? { ...each, place: statement, position } : each),
    );
    const known = (await Promise.all(told)).filter((each) => each !== undefined);
    return known.length > 0 ? known : [await this.#bare(statement.function, this.#ground.scripts.elsewhere())];
  }

  /** Where the stack cannot be had. */
  async unknown(): Promise<CallFrame[]> {
    const { stretch, position } = this.#where();
    const frame: FrameHere = { index: 0, position, hasLocals: false };
    return [await this.#told(frame, stretch?.title ?? 'the end of the recording', this.#ground.scripts.elsewhere())];
  }

  /** Where nothing of a turn has begun, or nothing runs any more. */
  #bare(functionName: string, location: Location): Promise<CallFrame> {
    const { position, stretch } = this.#where();
    const hasLocals = stretch !== undefined && !isOfProgram(stretch) && this.#ground.hello.statements;
    const frame: FrameHere = { index: 0, position, hasLocals };
    return this.#told(frame, functionName, location);
  }

  /** Nothing of one whose text the recording has not. */
  async #call(
    { index, function: name, hasLocals }: SeenFrame,
    { place, position }: SeenFrame,
  ): Promise<CallFrame | undefined> {
    const location = place && this.#ground.scripts.locationOf(place);
    return location && this.#told({ index, position, hasLocals }, name, location);
  }

  async #told(frame: FrameHere, functionName: string, location: Location): Promise<CallFrame> {
    const callFrameId = `${this.#epoch}.${frame.index}`;
    this.#frames.set(callFrameId, frame);
    const { index, position, hasLocals } = frame;
    const scope = hasLocals ? [{ type: 'local', object: this.#objects.scope(index, position) }] : [];
    const isHere = index === 0;
    return {
      callFrameId,
      functionName,
      location,
      url: this.#ground.scripts.withId(location.scriptId)?.url ?? '',
      // Who lives here stands where other programs have what is global.
      scopeChain: [...scope, { type: 'global', object: this.#objects.actors() }],
      this: await this.#self(frame),
      canBeRestarted: isHere || position !== undefined,
    };
  }

  /** Of outer functions the stretch has to be run again for that. */
  async #self({ index, position, hasLocals }: FrameHere): Promise<RemoteObject> {
    if (!hasLocals) return { type: 'undefined' };
    if (index > 0) return this.#objects.laterSelf(index, position);
    try {
      return (await this.#objects.self(index, position)) ?? { type: 'undefined' };
    } catch {
      // Where it cannot be looked at, the rest can be told all the same.
      return { type: 'undefined' };
    }
  }

  /** `Debugger.getStackTrace` */
  async senders(id: string): Promise<object> {
    if (id !== this.sendersId)
      throw new DevtoolsError('TT_CDP_NOT_THERE', 'Stack trace with given id is not found: all stand elsewhere');
    const { client, scripts } = this.#ground;
    const { senders } = await sendersOf(client, Math.min(this.depth, MOST_SENDERS));
    const chain = senders.toReversed().reduce<object | undefined>((parent, { name, place }) => {
      const at = (place && scripts.locationOf(place)) ?? scripts.elsewhere();
      const url = scripts.withId(at.scriptId)?.url ?? '';
      return { description: 'sent by', callFrames: [{ functionName: name, url, columnNumber: 0, ...at }], parent };
    }, undefined);
    return chain ?? { description: 'sent by nobody that is known', callFrames: [] };
  }
}

/** The evaluation of the program's own files. */
function isOfProgram({ kind, worker }: ToldStretch): boolean {
  return kind === 'evaluation' && worker === 0;
}
