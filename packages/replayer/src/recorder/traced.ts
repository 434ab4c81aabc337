// A recording with traces, of this process: it begins before the program's first line, since what that asks is part of it, and ends behind its last.
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Loader } from '../thread/loader.ts';
import type { LoaderOptions } from '@turntable/loader';
import { describeProcess, removeRecording, servicePlaces, startWriter, traceSink } from '@turntable/recording';
import { RecordingTape } from '@turntable/runtime';
import { behindExit } from './behind-exit.ts';
import { beforeOwnDeath } from './own-death.ts';
import { settingsNotes } from './recording-notes.ts';
import { retentionOf } from './retention.ts';
import { tracesHere, type Traced } from '../thread/threads-tape.ts';
import { version } from '../version.ts';

const { setTimeout: nativeSetTimeout } = globalThis;
/** Processes that this one starts are recorded as well, each by itself, and say whose they are. */
const PARENT = 'TURNTABLE_PARENT';
/** Milliseconds after a text was read until it is seen what has been reached. */
const QUIET_MS = 100;

export function beginTraced({ recordings, keep, include, exclude, later, services }: LoaderOptions): Traced {
  const writer = startWriter({
    recordings: recordings as string,
    retention: retentionOf(keep),
    services: services ? servicePlaces(process.env) : [],
  });
  const notes = settingsNotes({ include, exclude });
  const parent = process.env[PARENT];
  const recording = writer.create(describeProcess({ turntable: version, workers: 0, notes, parent }), {
    isLater: later !== undefined,
  });
  process.env[PARENT] = basename(recording.directory);
  const sink = traceSink(recording.trace(0, 0));
  let loader: Loader | undefined;
  let entry: string | undefined;
  let reached = 0;
  let known = 0;
  let looking: NodeJS.Timeout | undefined;
  let isOver = false;

  const look = (): void => {
    looking = undefined;
    const packages = [...(loader?.packages() ?? [])];
    if (packages.length !== known) {
      known = packages.length;
      const entries = packages.map(([directory, version]) => `${pathToFileURL(directory).href} ${version}`);
      recording.update({ packages: entries });
    }
    const devices = loader?.unreplayable() ?? [];
    if (devices.length === reached) return;
    reached = devices.length;
    recording.update({ devices });
  };
  const end = (why?: string): void => {
    if (isOver) return;
    isOver = true;
    look();
    sink.end();
    recording.end(why);
  };

  writer.beforeFlush(() => {
    if (!isOver) sink.commit();
  });
  const here: Traced = {
    writer,
    recording,
    tape: new RecordingTape(sink),
    look,
    end,
    begins(its) {
      loader = its;
      its.onText((url, text, settings) => {
        const { url: entryUrl } = its.program.entry;
        if (entry === undefined && entryUrl !== undefined) recording.update({ entry: (entry = entryUrl) });
        recording.addModule(url, text, settings);
        looking ??= nativeSetTimeout(look, QUIET_MS).unref();
      });
      behindExit(({ exitCode }) => {
        if (exitCode !== undefined && !isOver) recording.update({ exitCode });
        end();
        writer.closeSync();
        if (exitCode === 0 && keep.failed === true) removeRecording(recording.directory);
      });
    },
  };
  beforeOwnDeath((signal) => {
    look();
    recording.end(signal);
    writer.closeSync();
  });
  tracesHere(here);
  return here;
}
