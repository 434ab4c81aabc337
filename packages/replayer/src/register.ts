// Registers the hooks that transform this thread's program, and sets up recording or replay if requested. Workers
// inherit `--import turntable/register`, so each one registers its own hooks.
import { isMainThread, workerData } from 'node:worker_threads';
import { isRestoring } from './restore/restore-request.ts';
import { takeCaptureSettings } from './thread/capture-settings.ts';
import { setFacade, type Facade } from './facade.ts';
import { requireNode } from './node-version.ts';
import { takeReplayRequest } from './replay/replay-request.ts';

/** @param facade optional in a thread whose program is neither recorded nor replayed */
export async function register(facade?: Facade): Promise<void> {
  requireNode();
  if (facade !== undefined) setFacade(facade);
  const { ignoreConfigFile, loaderOptions, runtimeTransformFor, transformer, useTransformService } =
    await import('@turntable/loader');

  const replayRequest = isMainThread ? takeReplayRequest(process.env) : undefined;
  // The directory of a recorded program is not trusted.
  if (replayRequest !== undefined) ignoreConfigFile();
  // Options come first, so that a configuration file runs on plain Node.
  const options = isMainThread ? (await import('./startup-options.ts')).loadOptionsOrExit() : loaderOptions();
  const isRecorded =
    isMainThread && options.recordings !== false && replayRequest === undefined && !isRestoring(process.env);

  if (isRecorded && options.durability !== 'none' && !options.trace)
    process.stderr.write('turntable: responses do not wait for the disk: the setting durability needs --trace\n');
  if (isMainThread && process.env['TURNTABLE_KEY']) (await import('./recorder/shared-key.ts')).shareKeyOrExit();

  const { turntable } = (isMainThread ? {} : (workerData ?? {})) as {
    turntable?: { trace?: unknown; replay?: unknown };
  };
  const isReplayed = replayRequest !== undefined || turntable?.replay !== undefined;
  const hasTape = isReplayed || (isRecorded && options.trace) || turntable?.trace !== undefined;
  const threadTape = hasTape
    ? await (await import('./thread/thread-tape.ts')).createThreadTape(options, replayRequest)
    : undefined;
  const transformService = isReplayed
    ? (await import('./transform-service/connection.ts')).connectedTransformService(process.env)
    : undefined;
  if (transformService !== undefined) useTransformService(transformService);
  const debug = threadTape?.isDebug === true;
  const { createLoaderRealm } = await import('@turntable/boundary');
  const { install } = await import('./thread/install.ts');
  const loaderRealm = createLoaderRealm(runtimeTransformFor({ ...options, debug }), threadTape?.tapedProgram);
  const loader = install(transformer, loaderRealm, { ...options, debug, undo: threadTape?.isUndoable === true });
  threadTape?.attachLoader(loader);

  if ('permission' in process) (await import('./sandbox/inspector-session.ts')).takeInspectorSession();

  if (isRecorded || (replayRequest !== undefined && replayRequest.from === undefined)) {
    const { setUpRecording } = await import('./thread/recording-setup.ts');
    await setUpRecording(loader, isRecorded && options.recordings);
  }

  const captureSettings = isMainThread ? takeCaptureSettings(process.env) : undefined;
  if (captureSettings !== undefined) {
    const { captureOnce } = await import('./thread/capture-once.ts');
    await captureOnce(loader, captureSettings, isRestoring(process.env));
  }
}
