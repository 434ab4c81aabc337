// Recording with traces of this process. It starts before the program's first line and ends after its last `exit`
// listener, so that it contains all host calls.
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Loader } from '../thread/loader.ts';
import type { LoaderOptions } from '@turntable/loader';
import {
  describeProcess,
  removeRecording,
  serviceDirectories,
  startWriter,
  createTraceSink,
} from '@turntable/recording';
import { RecordingTape } from '@turntable/runtime';
import { afterExitListeners } from './process-end.ts';
import { beforeAbort, beforeReallyExit, beforeSelfKill } from './direct-end.ts';
import { createSettingsNotes } from './recording-notes.ts';
import { ReplyDurability } from './reply-durability.ts';
import { createRetention, maxRecordingBytes } from './retention.ts';
import { setTracedRecording, type TracedRecording } from '../thread/current-tape.ts';
import { version } from '../version.ts';

const { setTimeout: nativeSetTimeout } = globalThis;
/** Environment variable with the name of the parent's recording; child processes have separate recordings. */
const PARENT_VARIABLE = 'TURNTABLE_PARENT';
/** Delay of manifest updates after a loaded source text, so that several updates are combined. */
const UPDATE_DELAY_MS = 100;

export function startTracedRecording({
  recordings,
  keep,
  include,
  exclude,
  later: startLater,
  services,
  durability,
}: LoaderOptions): TracedRecording {
  const writer = startWriter({
    recordings: recordings as string,
    retention: createRetention(keep),
    maxTraceBytes: maxRecordingBytes(keep),
    services: services ? serviceDirectories(process.env) : [],
  });
  const notes = createSettingsNotes({ include, exclude });
  const parent = process.env[PARENT_VARIABLE];
  const recording = writer.create(describeProcess({ turntable: version, workers: 0, notes, parent }), {
    isLater: startLater !== undefined,
  });
  process.env[PARENT_VARIABLE] = basename(recording.directory);
  const sink = createTraceSink(recording.trace(0, 0));
  const replyDurability = new ReplyDurability(sink, durability);
  let loader: Loader | undefined;
  let entry: string | undefined;
  let reachedDevices = 0;
  let knownPackages = 0;
  let knownDeviceFiles = 0;
  let unseenOutputs = 0;
  let updateTimer: NodeJS.Timeout | undefined;
  let hasEnded = false;

  const recordReached = (): void => {
    updateTimer = undefined;
    const packages = [...(loader?.reachedPackages() ?? [])];
    if (packages.length !== knownPackages) {
      knownPackages = packages.length;
      const entries = packages.map(([directory, version]) => `${pathToFileURL(directory).href} ${version}`);
      recording.update({ packages: entries });
    }
    const deviceFiles = loader?.reachedDeviceFiles() ?? [];
    if (deviceFiles.length !== knownDeviceFiles) {
      knownDeviceFiles = deviceFiles.length;
      recording.update({ deviceFiles: deviceFiles.map((file) => pathToFileURL(file).href) });
    }
    const unseenOutput = loader?.unseenOutput() ?? [];
    if (unseenOutput.length !== unseenOutputs) {
      unseenOutputs = unseenOutput.length;
      recording.update({ unseenOutput });
    }
    const devices = loader?.unreplayableUses() ?? [];
    if (devices.length === reachedDevices) return;
    reachedDevices = devices.length;
    recording.update({ devices });
  };
  const end = (reason?: string): void => {
    if (hasEnded) return;
    hasEnded = true;
    recordReached();
    sink.end();
    recording.end(reason);
  };

  writer.beforeFlush(() => {
    if (!hasEnded) sink.commit();
  });
  const tracedRecording: TracedRecording = {
    writer,
    recording,
    tape: new RecordingTape(sink),
    recordReached,
    onSnapshotNeeded(callback) {
      const maxBytes = maxRecordingBytes(keep);
      if (maxBytes !== undefined) recording.onTraceBytes(maxBytes / 2, callback);
      writer.onGap(callback);
    },
    end,
    attachLoader(loaderOfThread) {
      loader = loaderOfThread;
      loaderOfThread.onSource((url, source, settings) => {
        const { url: entryUrl } = loaderOfThread.program.entryPoint;
        if (entry === undefined && entryUrl !== undefined) recording.update({ entry: (entry = entryUrl) });
        recording.addModule(url, source, settings);
        updateTimer ??= nativeSetTimeout(recordReached, UPDATE_DELAY_MS).unref();
      });
      replyDurability.install();
      loaderOfThread.beforeCode(() => writer.waitForModules());
      const exit = (exitCode: number | undefined): void => {
        if (exitCode !== undefined && !hasEnded) recording.update({ exitCode });
        end();
        writer.closeSync();
        replyDurability.release();
        if (exitCode === 0 && keep.failed === true) removeRecording(recording.directory);
      };
      afterExitListeners(({ exitCode }) => exit(exitCode));
      beforeReallyExit((exitCode) => {
        if (!hasEnded) exit(exitCode);
      });
    },
  };
  const endWithSignal = (signal: string): void => {
    recordReached();
    recording.end(signal);
    writer.closeSync();
    replyDurability.release();
  };
  beforeSelfKill(endWithSignal);
  beforeAbort(() => endWithSignal('SIGABRT'));
  setTracedRecording(tracedRecording);
  return tracedRecording;
}
