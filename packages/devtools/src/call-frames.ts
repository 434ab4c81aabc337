// The stack at the current position, as `Debugger.paused` reports it. There is always at least one frame, because
// clients keep stepping when a pause has none. The asynchronous stack has the suspended functions that await the frames,
// and then the chain of senders, which the client requests.
import { taskStartLocation, loadSenderFrames } from '@turntable/time-machine/client';
import type { ResultOf, TaskInfo, CursorInfo } from '@turntable/time-machine/protocol';
import { DevtoolsError } from './devtools-error.ts';
import type { CdpSessionContext } from './cdp-session-context.ts';
import type { RemoteObject } from './remote-object.ts';
import type { RemoteObjects } from './remote-objects.ts';
import { endOf, type Location } from './scripts.ts';

type ServerFrame = ResultOf<'frames'>['frames'][number];

export interface CallFrame {
  readonly callFrameId: string;
  readonly functionName: string;
  /** Start of its function, which the client needs to show values beside variables. */
  readonly functionLocation: Location | undefined;
  readonly location: Location;
  readonly url: string;
  readonly scopeChain: readonly object[];
  readonly this: RemoteObject;
  readonly canBeRestarted: boolean;
}

export interface FrameHandle {
  readonly index: number;
  /** The position of the frame; undefined if it is unknown. */
  readonly position: string | undefined;
  readonly hasLocals: boolean;
}

interface FrameRange {
  readonly start: Location;
  readonly end: Location;
}

/** Number of sender frames reported by default, and the maximum number. */
const DEFAULT_SENDERS = 20;
const MAX_SENDERS = 1000;

export class CallFrames {
  readonly #context: CdpSessionContext;
  readonly #objects: RemoteObjects;
  readonly #cursor: () => CursorInfo;
  readonly #handles = new Map<string, FrameHandle>();
  /** The suspended functions at the current position, nearest first. */
  #awaitingFrames: readonly ServerFrame[] = [];
  /** The number of moves so far, which makes `sendersId` unique. */
  #generation = 0;
  /** Maximum number of asynchronous frames that the client wants; at 0, none are offered. */
  maxSenders: number = DEFAULT_SENDERS;

  constructor(context: CdpSessionContext, objects: RemoteObjects, cursor: () => CursorInfo) {
    this.#context = context;
    this.#objects = objects;
    this.#cursor = cursor;
  }

  /** The id under which the client can request the senders of the current position, until the next move. */
  get sendersId(): string {
    return `senders ${this.#generation}`;
  }

  clear(): void {
    this.#generation++;
    this.#handles.clear();
    this.#awaitingFrames = [];
  }

  frame(id: string): FrameHandle {
    const frame = this.#handles.get(id);
    if (frame !== undefined) return frame;
    throw new DevtoolsError('TT_CDP_NOT_THERE', 'Could not find call frame with given id');
  }

  frameAt(position: string): FrameHandle {
    const frame = [...this.#handles.values()].find((each) => each.position === position);
    if (frame !== undefined) return frame;
    throw new DevtoolsError('TT_CDP_NOT_THERE', `No call frame is at position ${position}`);
  }

  async all(): Promise<CallFrame[]> {
    const { task, statement, position } = this.#cursor();
    if (task === undefined)
      return [await this.#placeholder('the end of the recording', this.#context.scripts.endLocation())];
    if (statement === undefined) {
      const { client, hello, scripts, entry } = this.#context;
      const name = `${task.title}, before its first statement`;
      // Finding the first frame of the main program would replay its evaluation, so the start of its source is
      // reported.
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
    this.#awaitingFrames = frames.filter(({ isAwaiting }) => isAwaiting === true);
    const described = frames
      .slice(0, frames.length - this.#awaitingFrames.length)
      .map((each) => this.#callFrame(each, each.index === 0 ? { ...each, location: statement, position } : each));
    const resolved = (await Promise.all(described)).filter((each) => each !== undefined);
    return resolved.length > 0
      ? resolved
      : [await this.#placeholder(statement.function, this.#context.scripts.unknownLocation())];
  }

  /** Returns a single frame without a location, to report if the stack could not be loaded. */
  async fallbackFrames(): Promise<CallFrame[]> {
    const { task, position } = this.#cursor();
    const frame: FrameHandle = { index: 0, position, hasLocals: false };
    return [
      await this.#describe(frame, task?.title ?? 'the end of the recording', this.#context.scripts.unknownLocation()),
    ];
  }

  /** Returns a frame for a position without frames: before a task's first statement, at the end, in unknown code. */
  #placeholder(functionName: string, location: Location): Promise<CallFrame> {
    const { position, task } = this.#cursor();
    const hasLocals = task !== undefined && !isMainEvaluation(task) && this.#context.hello.canStep;
    const frame: FrameHandle = { index: 0, position, hasLocals };
    return this.#describe(frame, functionName, location);
  }

  /** Returns undefined if the recording does not have the source of the frame's file. */
  async #callFrame(
    { index, function: name, hasLocals, functionRange }: ServerFrame,
    { location: sourceLocation, position }: ServerFrame,
  ): Promise<CallFrame | undefined> {
    const location = sourceLocation && this.#context.scripts.locationOf(sourceLocation);
    const range = location && this.#rangeOf(location, functionRange);
    return location && this.#describe({ index, position, hasLocals }, name, location, range);
  }

  async #describe(
    frame: FrameHandle,
    functionName: string,
    location: Location,
    range?: FrameRange,
  ): Promise<CallFrame> {
    const callFrameId = `${this.#generation}.${frame.index}`;
    this.#handles.set(callFrameId, frame);
    const { index, position, hasLocals } = frame;
    const scope = hasLocals
      ? [
          {
            type: 'local',
            object: this.#objects.scope(index, position),
            startLocation: range?.start,
            endLocation: range?.end,
          },
        ]
      : [];
    const isTop = index === 0;
    return {
      callFrameId,
      functionName,
      functionLocation: range?.start,
      location,
      url: this.#context.scripts.scriptWithId(location.scriptId)?.url ?? '',
      // Clients show the actors of the program as the global scope.
      scopeChain: [...scope, { type: 'global', object: this.#objects.actors() }],
      this: await this.#thisOf(frame),
      canBeRestarted: isTop || position !== undefined,
    };
  }

  /** Returns the range of a function or, outside of functions, of the script; undefined for the placeholder script. */
  #rangeOf({ scriptId }: Location, range: ServerFrame['functionRange']): FrameRange | undefined {
    const script = this.#context.scripts.scriptWithId(scriptId);
    if (script?.file === undefined) return undefined;
    if (range === undefined) {
      const { line, column } = endOf(script);
      return {
        start: { scriptId, lineNumber: 0, columnNumber: 0 },
        end: { scriptId, lineNumber: line, columnNumber: column },
      };
    }
    return {
      start: { scriptId, lineNumber: range.line - 1, columnNumber: range.column - 1 },
      end: { scriptId, lineNumber: range.endLine - 1, columnNumber: range.endColumn - 1 },
    };
  }

  /** Returns the value of `this` in a frame. In outer frames, evaluating `this` requires a replay of the task. */
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

  /** The asynchronous stack, to be called after `all`: awaiting frames, then the id of the senders. */
  asyncStack(): { readonly asyncStackTrace?: object; readonly asyncStackTraceId?: object } {
    if (this.maxSenders === 0 || this.#cursor().task === undefined) return {};
    const sendersId = { id: this.sendersId };
    const frames = this.#awaitingFrames.slice(0, this.maxSenders).flatMap(({ function: functionName, location }) => {
      const found = location && this.#context.scripts.locationOf(location);
      return found === undefined ? [] : [this.#asyncFrame(functionName, found)];
    });
    const innermost = frames.reduceRight<object | undefined>(
      (parent, frame) => ({
        description: 'await',
        callFrames: [frame],
        ...(parent === undefined ? { parentId: sendersId } : { parent }),
      }),
      undefined,
    );
    return innermost === undefined ? { asyncStackTraceId: sendersId } : { asyncStackTrace: innermost };
  }

  #asyncFrame(functionName: string, location: Location): object {
    const url = this.#context.scripts.scriptWithId(location.scriptId)?.url ?? '';
    return { functionName, url, columnNumber: 0, ...location };
  }

  /** Handles `Debugger.getStackTrace`. Throws if a move has made the id invalid. */
  async senderStack(id: string): Promise<object> {
    if (id !== this.sendersId) throw new DevtoolsError('TT_CDP_NOT_THERE', 'Stack trace with given id is not found');
    const { client, scripts } = this.#context;
    const { senders } = await loadSenderFrames(client, Math.min(this.maxSenders, MAX_SENDERS));
    const chain = senders.toReversed().reduce<object | undefined>((parent, { name, location: sourceLocation }) => {
      const location = (sourceLocation && scripts.locationOf(sourceLocation)) ?? scripts.unknownLocation();
      return { description: 'sent by', callFrames: [this.#asyncFrame(name, location)], parent };
    }, undefined);
    return chain ?? { description: 'sent by an unknown sender', callFrames: [] };
  }
}

/** Whether a task evaluates modules on the main thread. */
function isMainEvaluation({ kind, worker }: TaskInfo): boolean {
  return kind === 'evaluation' && worker === 0;
}
