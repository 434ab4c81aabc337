// Creates the tape of a thread whose program is recorded with traces or replayed, before its realm is created.
import { isMainThread, workerData } from 'node:worker_threads';
import { openTapedProgram, type TapedProgram } from '@turntable/boundary';
import type { Loader } from './loader.ts';
import type { LoaderOptions } from '@turntable/loader';
import { createTraceSink, type TraceHandle } from '@turntable/recording';
import { RecordingTape, type ThreadData } from '@turntable/runtime';
import { afterExitListeners } from '../recorder/process-end.ts';
import { ReplyDurability } from '../recorder/reply-durability.ts';
import { isDebugReplay, type ReplayRequest } from '../replay/replay-request.ts';
import type { ReplayData } from '../replay/thread/thread-replayer.ts';
import { setCurrentReplay } from './current-tape.ts';

export interface ThreadTape {
  readonly tapedProgram: TapedProgram;
  readonly isDebug?: boolean;
  readonly isUndoable?: boolean;
  /** Must be called when the program is about to be loaded. */
  attachLoader(loader: Loader): void;
}

/** @param request replay request of the main thread; a worker gets its request with its data */
export async function createThreadTape(options: LoaderOptions, request?: ReplayRequest): Promise<ThreadTape> {
  if (isMainThread && request === undefined) {
    const { startTracedRecording } = await import('../recorder/traced-recording.ts');
    const tracedRecording = startTracedRecording(options);
    return {
      tapedProgram: await openTapedProgram(tracedRecording.tape),
      attachLoader: (loader) => tracedRecording.attachLoader(loader),
    };
  }
  const data = isMainThread ? undefined : (workerData as { turntable: ThreadData }).turntable;
  if (data?.trace !== undefined) {
    const sink = createTraceSink(data.trace as TraceHandle);
    const replyDurability = new ReplyDurability(sink, options.durability);
    return {
      tapedProgram: await openTapedProgram(new RecordingTape(sink)),
      // Without `end`, for example in a terminated thread, the trace is cut off.
      attachLoader: () => {
        replyDurability.install();
        afterExitListeners(() => {
          sink.end();
          replyDurability.release();
        });
      },
    };
  }
  const { ThreadReplayer } = await import('../replay/thread/thread-replayer.ts');
  const { readRecordedSources } = await import('../replay/recorded-sources.ts');
  const { request: sharedRequest, ...sharedData } = (data?.replay ?? {}) as Partial<ReplayData>;
  const replayRequest = (request ?? sharedRequest) as ReplayRequest;
  const thread = { worker: data?.index ?? 0, epoch: data?.epoch ?? 0 };
  const threadObservation =
    (replayRequest.taskLog ?? replayRequest.driver)
      ? await import('../replay-process/thread-observation.ts')
      : undefined;
  const threadReplayer = new ThreadReplayer(
    replayRequest,
    thread,
    sharedData,
    threadObservation?.createThreadObservation,
  );
  setCurrentReplay(threadReplayer);
  return {
    tapedProgram: await openTapedProgram(threadReplayer.tape, {
      isReplayFromSnapshot: replayRequest.from !== undefined,
    }),
    isDebug: isDebugReplay(replayRequest),
    isUndoable:
      replayRequest.driver !== undefined &&
      replayRequest.driver.breakpoints === undefined &&
      replayRequest.driver.watch === undefined,
    attachLoader(loader) {
      if (replayRequest.code === 'recorded' && replayRequest.from === undefined)
        try {
          loader.useRecordedSources(readRecordedSources(threadReplayer.recording));
        } catch (error) {
          // A recorded text is unreadable. The main thread checks this before it starts workers.
          if (!isMainThread) throw error;
          threadReplayer.failToStart(error);
        }
      threadReplayer.attachLoader(loader);
    },
  };
}
