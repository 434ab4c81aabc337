// The tape of this thread, if its program is recorded with traces or runs again: it is there before the realm, and so before the program.
import { isMainThread, workerData } from 'node:worker_threads';
import { taped, type Taped } from '@turntable/boundary';
import type { Loader } from './loader.ts';
import type { LoaderOptions } from '@turntable/loader';
import { traceSink, type TraceHandle } from '@turntable/recording';
import { RecordingTape, type ThreadData } from '@turntable/runtime';
import { behindExit } from '../recorder/behind-exit.ts';
import { isDebugged, type ReplayOrder } from '../replay/replay-order.ts';
import type { ReplayData } from '../replay/thread/replaying.ts';
import { replaysHere } from './threads-tape.ts';

export interface Taping {
  readonly taped: Taped;
  /** Whether the program's code is to have probes. */
  readonly isDebugged?: boolean;
  /** Whether what it does can be undone. */
  readonly isUndone?: boolean;
  /** The program is about to be loaded. */
  begins(loader: Loader): void;
}

/** `order`: what the main thread is to run again. */
export async function tapingHere(options: LoaderOptions, order: ReplayOrder | undefined): Promise<Taping> {
  if (isMainThread && order === undefined) {
    const { beginTraced } = await import('../recorder/traced.ts');
    const traced = beginTraced(options);
    return { taped: await taped(traced.tape), begins: (loader) => traced.begins(loader) };
  }
  const data = isMainThread ? undefined : (workerData as { turntable: ThreadData }).turntable;
  if (data?.trace !== undefined) {
    const sink = traceSink(data.trace as TraceHandle);
    return {
      taped: await taped(new RecordingTape(sink)),
      // A thread that is ended by others leaves a trace that just stops.
      begins: () => behindExit(() => sink.end()),
    };
  }
  const { Replaying } = await import('../replay/thread/replaying.ts');
  const { textsIn } = await import('../replay/texts.ts');
  const { order: given, ...shared } = (data?.replay ?? {}) as Partial<ReplayData>;
  const its = (order ?? given) as ReplayOrder;
  const thread = { worker: data?.index ?? 0, life: data?.life ?? 0 };
  const watching = (its.survey ?? its.engine) ? await import('../replay-process/watching.ts') : undefined;
  const here = new Replaying(its, thread, shared, watching?.watching);
  replaysHere(here);
  return {
    taped: await taped(here.tape, { stateComes: its.from !== undefined }),
    isDebugged: isDebugged(its),
    isUndone: its.engine !== undefined && its.engine.places === undefined && its.engine.values === undefined,
    begins(loader) {
      if (its.code === 'recorded' && its.from === undefined)
        try {
          loader.useTexts(textsIn(here.recording));
        } catch (error) {
          // One that is damaged there. Threads begin when the main one has read all of them.
          if (!isMainThread) throw error;
          here.cannotBegin(error);
        }
      here.begins(loader);
    },
  };
}
