// The stack at the current position: the frames of the running task, the suspended functions that await them, then a
// label and the chain of senders, with a frame at each statement that sent the message of the frame above. An idle actor has a single frame, whose name says
// how many messages wait. Frames are requested from the server on demand.
import {
  awaitTitle,
  loadLiveActors,
  moreAwaitingText,
  otherWaitersText,
  taskStartLocation,
  HandleTable,
  loadSenderFrames,
  type SourceRange,
  type LiveActor,
} from '@turntable/time-machine/client';
import type { ResultOf, CursorInfo } from '@turntable/time-machine/protocol';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { ActorThreads } from './actor-threads.ts';
import { DapError } from './dap-error.ts';
import type { SessionContext } from './session-context.ts';
import type { Sources, DapSource } from './sources.ts';
import type { WithUndefined } from './with-undefined.ts';

type ServerFrame = ResultOf<'frames'>['frames'][number];
type DapStackFrame = WithUndefined<Omit<DebugProtocol.StackFrame, 'source'>> & {
  readonly source?: DapSource | undefined;
};

export type FrameRef =
  | {
      readonly kind: 'call';
      readonly index: number;
      readonly position: string | undefined;
      readonly hasLocals: boolean;
      /** Whether the function is suspended. Its position is loaded on request. */
      readonly isAwaiting: boolean;
    }
  | { readonly kind: 'sender'; readonly position: string }
  /** The frame of an actor that is idle, or of a task before its first statement. */
  | { readonly kind: 'actor'; readonly threadId: number; readonly position: string | undefined }
  | { readonly kind: 'label' };

/** Number of sender frames listed by default, and the maximum number. */
const DEFAULT_SENDERS = 20;
const MAX_SENDERS = 1000;

export class Stack {
  readonly #context: SessionContext;
  readonly #actors: ActorThreads;
  readonly #sources: Sources;
  readonly #cursor: () => CursorInfo;
  readonly #frames = new HandleTable<FrameRef>();
  /** Ids of frames by the kind and number of the frame, so that a frame keeps its id until the next move. */
  readonly #idByKey = new Map<string, number>();
  #serverStack: Promise<ResultOf<'frames'>> | undefined;
  #liveActors: Promise<readonly LiveActor[]> | undefined;
  #startLocation: Promise<SourceRange | undefined> | undefined;

  constructor(context: SessionContext, deps: { actors: ActorThreads; sources: Sources; cursor: () => CursorInfo }) {
    this.#context = context;
    this.#actors = deps.actors;
    this.#sources = deps.sources;
    this.#cursor = deps.cursor;
  }

  clear(): void {
    this.#frames.clear();
    this.#idByKey.clear();
    this.#serverStack = this.#liveActors = this.#startLocation = undefined;
  }

  frame(id: number): FrameRef {
    const frame = this.#frames.get(id);
    if (frame !== undefined) return frame;
    throw new DapError('TT_DAP_NOT_THERE', `there is no frame ${id} at the current position; request stackTrace again`);
  }

  /** @param levels maximum number of frames; 0 for all frames and the default number of senders */
  async frames(
    threadId: number,
    { start = 0, levels = 0 }: { readonly start: number | undefined; readonly levels: number | undefined },
  ): Promise<{ stackFrames: DapStackFrame[]; totalFrames: number | undefined }> {
    const end = levels === 0 ? Infinity : start + levels;
    this.#actors.actorOfThread(threadId);
    if (threadId !== this.#actors.threadAt(this.#cursor()))
      return pageOf([await this.#idleFrame(threadId)], start, end);
    const { statement } = this.#cursor();
    const isFirstOnly = start === 0 && end === 1;
    const calls =
      statement === undefined
        ? [await this.#startFrame(threadId)]
        : isFirstOnly
          ? [await this.#callFrame({ index: 0, function: statement.function, hasLocals: true, parameters: [] })]
          : await this.#callFrames();
    if (end <= calls.length) return { stackFrames: calls.slice(start, end), totalFrames: undefined };
    const count = end === Infinity ? DEFAULT_SENDERS : Math.min(MAX_SENDERS, end - calls.length - 1);
    const { senders, isAll } = await this.#senderFrames(count);
    const label = senders.length === 0 ? [] : [this.#labelFrame('sent by')];
    const frames = [...calls, ...label, ...senders];
    return { stackFrames: frames.slice(start, end), totalFrames: isAll ? frames.length : undefined };
  }

  /** Returns the actor's state at the current position; undefined if the actor does not exist there. */
  async liveActor(threadId: number): Promise<LiveActor | undefined> {
    const { worker, name } = this.#actors.actorOfThread(threadId);
    this.#liveActors ??= loadLiveActors(this.#context.client);
    return (await this.#liveActors).find((each) => each.worker === worker && each.name === name);
  }

  /** Returns the frame of a task before its first statement, or a label at the end of the recording. */
  async #startFrame(threadId: number): Promise<DapStackFrame> {
    const { task, position } = this.#cursor();
    if (task === undefined) return this.#labelFrame('the end of the recording');
    this.#startLocation ??= taskStartLocation(this.#context.client, this.#context.hello, this.#cursor());
    return {
      id: this.#idOf('beginning', { kind: 'actor', threadId, position }),
      name: `${task.title}, before its first statement`,
      ...(await this.#locationFields(await this.#startLocation)),
    };
  }

  async #callFrames(): Promise<DapStackFrame[]> {
    this.#serverStack ??= this.#context.client.request('frames', {});
    const { frames, moreAwaiting } = await this.#serverStack;
    const calls = await Promise.all(frames.map((each) => this.#callFrame(each)));
    return moreAwaiting === undefined ? calls : [...calls, this.#labelFrame(moreAwaitingText(moreAwaiting))];
  }

  /** Returns the position of the statement at which an awaiting frame is suspended. Throws if it has none. */
  async awaitPosition(index: number): Promise<string> {
    const { position, reason = 'it is unknown' } = await this.#context.client.request('framePosition', {
      frame: index,
    });
    if (position !== undefined) return position;
    throw new DapError('TT_DAP_NOT_THERE', `this frame has no position: ${reason}; select another frame`);
  }

  async #callFrame(frame: ServerFrame): Promise<DapStackFrame> {
    const { index, location, hasLocals, position, isAwaiting = false } = frame;
    const isTop = index === 0;
    const current = this.#cursor();
    const name = frame.function === '' ? '(module)' : frame.function;
    return {
      id: this.#idOf(`call ${index}`, {
        kind: 'call',
        index,
        position: isTop ? current.position : position,
        hasLocals,
        isAwaiting,
      }),
      name: isAwaiting ? `${awaitTitle(frame, name)}${otherWaitersText(frame)}` : name,
      ...(await this.#locationFields(isTop ? (current.statement ?? location) : location)),
      canRestart: isTop || isAwaiting || position !== undefined,
      presentationHint: hasLocals ? 'normal' : 'subtle',
    };
  }

  async #senderFrames(count: number): Promise<{ senders: DapStackFrame[]; isAll: boolean }> {
    const { senders, isAll } = await loadSenderFrames(this.#context.client, count);
    const frames = senders.map(async ({ name, position, location }, i): Promise<DapStackFrame> => {
      const id = this.#idOf(`sender ${i}`, { kind: 'sender', position });
      return { id, name, ...(await this.#locationFields(location)), canRestart: true, presentationHint: 'subtle' };
    });
    return { senders: await Promise.all(frames), isAll };
  }

  async #idleFrame(threadId: number): Promise<DapStackFrame> {
    const liveActor = await this.liveActor(threadId);
    const status = liveActor === undefined ? 'no actor at this position' : waitingText(liveActor.waitingCount);
    return {
      id: this.#idOf(`actor ${threadId}`, { kind: 'actor', threadId, position: undefined }),
      name: status,
      line: 0,
      column: 0,
      presentationHint: 'subtle',
    };
  }

  #labelFrame(name: string): DapStackFrame {
    const id = this.#idOf(`label ${name}`, { kind: 'label' });
    return { id, name, line: 0, column: 0, presentationHint: 'label' };
  }

  /** Returns the start of a location. VS Code would select the text up to an end, which the next key then replaces. */
  async #locationFields(location: SourceRange | undefined): Promise<Pick<DapStackFrame, 'source' | 'line' | 'column'>> {
    if (location === undefined) return { line: 0, column: 0 };
    const { numbering } = this.#context;
    const { file, line, column } = location;
    return {
      source: await this.#sources.sourceOf(file),
      line: numbering.toClientLine(line),
      column: numbering.toClientColumn(column),
    };
  }

  /** Returns the id of a frame: the same id for the same `key`. */
  #idOf(key: string, frame: FrameRef): number {
    let id = this.#idByKey.get(key);
    if (id === undefined) this.#idByKey.set(key, (id = this.#frames.add(frame)));
    return id;
  }
}

function pageOf(
  frames: DapStackFrame[],
  start: number,
  end: number,
): { stackFrames: DapStackFrame[]; totalFrames: number } {
  return { stackFrames: frames.slice(start, end), totalFrames: frames.length };
}

function waitingText(count: number): string {
  if (count === 0) return 'idle, no messages waiting';
  return `idle, ${count === 1 ? '1 message' : `${count} messages`} waiting`;
}
