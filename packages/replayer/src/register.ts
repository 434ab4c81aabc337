// Makes this thread's program load transformed, and recorded or replayed where that was asked for. Workers inherit `--import turntable/register`
// and come through here by themselves.
import { isMainThread, workerData } from 'node:worker_threads';
import { isContinuing } from './restore/continuation.ts';
import { captureSettings } from './thread/capture-settings.ts';
import { useFacade, type Facade } from './facade.ts';
import { requireNode } from './node-version.ts';
import { takeReplayOrder } from './replay/replay-order.ts';

/** @param facade may be left out in a thread whose program is not recorded */
export async function register(facade?: Facade): Promise<void> {
  requireNode();
  if (facade !== undefined) useFacade(facade);
  const { loaderOptions, runtimeTransformFor, transformer } = await import('@turntable/loader');

  // First, so that a configuration file sees nothing but Node.
  const options = isMainThread ? (await import('./settings-here.ts')).settingsOrEnd() : loaderOptions();
  const order = isMainThread ? takeReplayOrder(process.env) : undefined;
  const isRecorded = isMainThread && options.recordings !== false && order === undefined && !isContinuing(process.env);

  if (isMainThread && process.env['TURNTABLE_KEY']) (await import('./recorder/take-key.ts')).takeKeyOrEnd();

  const { turntable } = (isMainThread ? {} : (workerData ?? {})) as {
    turntable?: { trace?: unknown; replay?: unknown };
  };
  const isTaped =
    order !== undefined || (isRecorded && options.trace) || (turntable?.trace ?? turntable?.replay) !== undefined;
  const taping = isTaped ? await (await import('./thread/taping.ts')).tapingHere(options, order) : undefined;
  const debug = taping?.isDebugged === true;
  const { createLoaderRealm } = await import('@turntable/boundary');
  const { install } = await import('./thread/install.ts');
  const loaderRealm = createLoaderRealm(runtimeTransformFor({ ...options, debug }), taping?.taped);
  const loader = install(transformer, loaderRealm, { ...options, debug, undo: taping?.isUndone === true });
  taping?.begins(loader);

  if (isRecorded || (order !== undefined && order.from === undefined)) {
    const { recordHere } = await import('./thread/record-here.ts');
    await recordHere(loader, isRecorded && options.recordings);
  }

  const capture = isMainThread ? captureSettings(process.env) : undefined;
  if (capture !== undefined) {
    const { captureOnce } = await import('./thread/capture-once.ts');
    await captureOnce(loader, capture, isContinuing(process.env));
  }
}
