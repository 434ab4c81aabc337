// The stack at the current position, as `Debugger.paused` reports it. There is always at least one frame, because
// clients keep stepping when a pause has none. The chain of senders is its asynchronous stack, loaded on request.
import { taskStartLocation, loadSenderFrames } from '@turntable/time-machine/client';
import type { ResultOf, TaskInfo, CursorInfo } from '@turntable/time-machine/protocol';
import { DevtoolsError } from './devtools-error.ts';
import type { CdpSessionContext } from './cdp-session-context.ts';
import type { RemoteObject } from './remote-object.ts';
import type { RemoteObjects } from './remote-objects.ts';
import type { Location } from './scripts.ts';

type ServerFrame = ResultOf<'frames'>['frames'][number];

export interface CallFrame {
  readonly callFrameId: string;
  readonly functionName: string;
  readonly location: Location;
  readonly url: string;
  readonly scopeChain: readonly object[];
  readonly this: RemoteObject;
  readonly canBeRestarted: boolean;
}

export interface FrameHandle {
  readonly index: number;
  /** The position of the frame, if it is known. */
  readonly position: string | undefined;
  readonly hasLocals: boolean;
}

/** Sender frames reported by default, and at most. */
const DEFAULT_SENDERS = 20;
const MAX_SENDERS = 1000;

export class CallFrames {
  readonly #context: CdpSessionContext;
  readonly #objects: RemoteObjects;
  readonly #cursor: () => CursorInfo;
  readonly #handles = new Map<string, FrameHandle>();
  /** The number of moves so far. */
  #generation = 0;
  /** Maximum number of sender frames. */
  maxSenders: number = DEFAULT_SENDERS;

  constructor(context: CdpSessionContext, objects: RemoteObjects, cursor: () => CursorInfo) {
    this.#context = context;
    this.#objects = objects;
    this.#cursor = cursor;
  }

  /** The id under which the client requests the senders of the current position. */
  get sendersId(): string {
    return `senders ${this.#generation}`;
  }

  clear(): void {
    this.#generation++;
    this.#handles.clear();
  }

  frame(id: string): FrameHandle {
    const frame = this.#handles.get(id);
    if (frame !== undefined) return frame;
    throw new DevtoolsError('TT_CDP_NOT_THERE', 'Could not find call frame with given id');
  }

  frameAt(position: string): FrameHandle {
    const frame = [...this.#handles.values()].find((each) => each.position === position);
    if (frame !== undefined) return frame;
    throw new DevtoolsError('TT_CDP_NOT_THERE', `No frame is at ${position}`);
  }

  async all(): Promise<CallFrame[]> {
    const { task, statement, position } = this.#cursor();
    if (task === undefined)
      return [await this.#placeholder('the end of the recording', this.#context.scripts.endLocation())];
    if (statement === undefined) {
      const { client, hello, scripts, entry } = this.#context;
      const name = `${task.title}, before its first statement`;
      // Finding the frame in the main program would replay it all.
      const start = isMainEvaluation(task) ? scripts.startOf(entry) : undefined;
      if (start !== undefined) return [await this.#placeholder(name, start)];
      const sourceLocation = await taskStartLocation(client, hello, this.#cursor());
      return [
        await this.#placeholder(
          name,
          (sourceLocation && scripts.locationOf(sourceLocation)) ?? scripts.unknownLocation(),
        ),
      ];
    }
    const { frames } = await this.#context.client.request('frames', {});
    const described = frames.map((each) =>
      this.#callFrame(each, each.index === 0 ? { ...each, location: statement, position } : each),
    );
    const resolved = (await Promise.all(described)).filter((each) => each !== undefined);
    return resolved.length > 0
      ? resolved
      : [await this.#placeholder(statement.function, this.#context.scripts.unknownLocation())];
  }

  /** The frames reported if the stack is unavailable. */
  async fallbackFrames(): Promise<CallFrame[]> {
    const { task, position } = this.#cursor();
    const frame: FrameHandle = { index: 0, position, hasLocals: false };
    return [
      await this.#describe(frame, task?.title ?? 'the end of the recording', this.#context.scripts.unknownLocation()),
    ];
  }

  /** The frame of a task that has not started, or that has ended. */
  #placeholder(functionName: string, location: Location): Promise<CallFrame> {
    const { position, task } = this.#cursor();
    const hasLocals = task !== undefined && !isMainEvaluation(task) && this.#context.hello.canStep;
    const frame: FrameHandle = { index: 0, position, hasLocals };
    return this.#describe(frame, functionName, location);
  }

  /** Undefined if the recording does not have the source of the frame's file. */
  async #callFrame(
    { index, function: name, hasLocals }: ServerFrame,
    { location: sourceLocation, position }: ServerFrame,
  ): Promise<CallFrame | undefined> {
    const location = sourceLocation && this.#context.scripts.locationOf(sourceLocation);
    return location && this.#describe({ index, position, hasLocals }, name, location);
  }

  async #describe(frame: FrameHandle, functionName: string, location: Location): Promise<CallFrame> {
    const callFrameId = `${this.#generation}.${frame.index}`;
    this.#handles.set(callFrameId, frame);
    const { index, position, hasLocals } = frame;
    const scope = hasLocals ? [{ type: 'local', object: this.#objects.scope(index, position) }] : [];
    const isTop = index === 0;
    return {
      callFrameId,
      functionName,
      location,
      url: this.#context.scripts.scriptWithId(location.scriptId)?.url ?? '',
      // The actors of the worker appear as the global scope.
      scopeChain: [...scope, { type: 'global', object: this.#objects.actors() }],
      this: await this.#thisOf(frame),
      canBeRestarted: isTop || position !== undefined,
    };
  }

  /** In outer frames, evaluating `this` requires a replay of the task. */
  async #thisOf({ index, position, hasLocals }: FrameHandle): Promise<RemoteObject> {
    if (!hasLocals) return { type: 'undefined' };
    if (index > 0) return this.#objects.lazyThis(index, position);
    try {
      return (await this.#objects.thisOf(index, position)) ?? { type: 'undefined' };
    } catch {
      // An unavailable `this` must not hide the rest of the frame.
      return { type: 'undefined' };
    }
  }

  /** `Debugger.getStackTrace` */
  async senderStack(id: string): Promise<object> {
    if (id !== this.sendersId)
      throw new DevtoolsError('TT_CDP_NOT_THERE', 'Stack trace with given id is not found: all stand elsewhere');
    const { client, scripts } = this.#context;
    const { senders } = await loadSenderFrames(client, Math.min(this.maxSenders, MAX_SENDERS));
    const chain = senders.toReversed().reduce<object | undefined>((parent, { name, location: sourceLocation }) => {
      const location = (sourceLocation && scripts.locationOf(sourceLocation)) ?? scripts.unknownLocation();
      const url = scripts.scriptWithId(location.scriptId)?.url ?? '';
      return {
        description: 'sent by',
        callFrames: [{ functionName: name, url, columnNumber: 0, ...location }],
        parent,
      };
    }, undefined);
    return chain ?? { description: 'sent by an unknown sender', callFrames: [] };
  }
}

/** The evaluation of the program's own files. */
function isMainEvaluation({ kind, worker }: TaskInfo): boolean {
  return kind === 'evaluation' && worker === 0;
}
