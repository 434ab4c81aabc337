// A recording that is open for clients: its run index is built, and its server can start replay processes.
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TOOL_OUTPUT, probeLocationsOf, type ProbeLocation, type TransformService } from '@turntable/loader';
import type { Recording } from '@turntable/recording';
import { TimeMachineServer, type TimeMachineDeps, type RecordingInfo } from '@turntable/time-machine/server';
import type { RunIndex } from '@turntable/time-machine';
import { createReplayDriver, createStandbyProcess, buildRunIndex } from '@turntable/replayer/indexed-replay';
import {
  copyRunningRecording,
  openRecordedCode,
  replaySandbox,
  TemporaryDirectory,
  type RecordedCode,
  type RunningRecordingCopy,
  type TrustOptions,
} from '@turntable/replayer/replay';
import { version } from '@turntable/replayer/entry';
import { displayRedaction } from '../redaction.ts';
import { expressionProblem } from './expression-check.ts';
import { snapshotsOf } from './recorded-snapshots.ts';

export interface OpenOptions extends TrustOptions {
  /** The snapshot to start from; undefined for the earliest possible position. */
  readonly phase: number | undefined;
  readonly isForced: boolean;
  readonly isFresh: boolean;
  /** Whether secrets are shown, which are redacted otherwise. */
  readonly showsSecrets?: boolean;
}

export interface ServedRecording {
  readonly server: TimeMachineServer;
  /** Stops the server and ends all replay processes. */
  close(): Promise<void>;
}

/** Opens a recording. @param name name for users; the file of the bookmarks is beside the recording of this name */
export async function serveRecording(directory: string, name: string, options: OpenOptions): Promise<ServedRecording> {
  const room = new TemporaryDirectory();
  try {
    const { runIndex, recording, deps, code } = await loadRecording(directory, name, options, room);
    return disposeOnClose(new TimeMachineServer(runIndex, recording, version, deps), () => [code, room]);
  } catch (error) {
    room[Symbol.dispose]();
    throw error;
  }
}

/** Opens the recording of a running program. `refresh` adds the events that were recorded since. */
export async function serveLiveRecording(
  directory: string,
  name: string,
  options: OpenOptions,
): Promise<ServedRecording> {
  const room = new TemporaryDirectory();
  const load = async (): Promise<LoadedRecording & RunningRecordingCopy> => {
    const soFar = await copyRunningRecording(directory, room.path);
    const loaded = await loadRecording(soFar.directory, name, options, room);
    const { recording, deps } = loaded;
    return { ...soFar, ...loaded, recording: { ...recording, until: soFar.until }, deps: { ...deps, refresh } };
  };
  // Concurrent requests share one refresh.
  let refreshing: Promise<number> | undefined;
  const refresh = (): Promise<number> => {
    refreshing ??= reload().finally(() => (refreshing = undefined));
    return refreshing;
  };
  const reload = async (): Promise<number> => {
    const [previous, next] = [current, await load()];
    current = next;
    previous.code[Symbol.dispose]();
    const replaced = server.replace(next.runIndex, next.recording, version, next.deps);
    void replaced.finally(() => rmSync(previous.directory, { recursive: true, force: true })).catch(() => {});
    return next.until;
  };
  let current: LoadedRecording & RunningRecordingCopy;
  try {
    current = await load();
  } catch (error) {
    room[Symbol.dispose]();
    throw error;
  }
  const server = new TimeMachineServer(current.runIndex, current.recording, version, current.deps);
  return disposeOnClose(server, () => [current.code, room]);
}

const START = { order: 1, list: 0, statement: 0 };

interface LoadedRecording {
  readonly runIndex: RunIndex;
  readonly recording: RecordingInfo;
  readonly deps: TimeMachineDeps;
  readonly code: RecordedCode;
}

async function loadRecording(
  directory: string,
  name: string,
  options: OpenOptions,
  room: TemporaryDirectory,
): Promise<LoadedRecording> {
  const recordingSandbox = replaySandbox(directory, options);
  const sandbox = recordingSandbox && { ...recordingSandbox, codeCache: recordingSandbox.codeCache ?? room.path };
  const redaction = options.showsSecrets === true ? undefined : displayRedaction();
  const indexed = await buildRunIndex(directory, { ...options, debug: true, sandbox, redaction });
  const { runIndex, verdict, recording, from } = indexed;
  const standby = createStandbyProcess(indexed);
  const code = openRecordedCode(recording, sandbox);
  const scout = createReplayDriver(runIndex, indexed, standby);
  const deps = {
    current: createReplayDriver(runIndex, indexed, standby),
    scout,
    prepare: () => {
      code.prepare();
      // A move reports the failure.
      void scout.seek(START).catch(() => {});
    },
    findSource: sourceLookup(recording),
    sourceFiles: () => filesOf(recording),
    entryFile: entryFileOf(recording),
    findStatements: statementLookup(recording, code.transforms),
    findFunctions: functionLookup(recording, code.transforms),
    checkExpression: (expression: string, source: string | undefined) =>
      expressionProblem(expression, source, code.transforms),
    bookmarksFile: `${name}.bookmarks.json`,
    snapshots: snapshotsOf(recording),
    redaction,
  };
  return { runIndex, recording: { name, from, verdict, exitCode: recording.manifest.exitCode }, deps, code };
}

function disposeOnClose(server: TimeMachineServer, resources: () => readonly Disposable[]): ServedRecording {
  return {
    server,
    close: async () => {
      await server.close();
      for (const each of resources()) each[Symbol.dispose]();
    },
  };
}

/** Finds the sources of modules by the file names in stack traces. */
function sourceLookup(recording: Recording): (file: string) => string | undefined {
  return (file) => {
    const module = moduleOf(recording, file);
    return module && recording.source(module.sha256);
  };
}

/** Finds the statements of files; undefined for generated files, whose statements have locations in other sources. */
function statementLookup(
  recording: Recording,
  transforms: TransformService,
): (file: string) => ProbeLocation[] | undefined {
  return (file) => {
    const { url, sha256, settings } = moduleOf(recording, file) ?? {};
    const source = sha256 === undefined || settings === TOOL_OUTPUT ? undefined : recording.source(sha256);
    return source === undefined ? undefined : probeLocationsOf(pathOf(url ?? '') ?? file, source, settings, transforms);
  };
}

/** Finds the named functions of files. */
function functionLookup(
  recording: Recording,
  { functionsOf }: TransformService,
): (file: string) => ReturnType<TransformService['functionsOf']> | undefined {
  return (file) => {
    const { url, sha256 } = moduleOf(recording, file) ?? {};
    const source = sha256 === undefined ? undefined : recording.source(sha256);
    return source === undefined ? undefined : functionsOf(pathOf(url ?? '') ?? file, source);
  };
}

function entryFileOf({ manifest: { entry, modules } }: Recording): string | undefined {
  return modules.some(({ url }) => url === entry) && entry !== null ? (pathOf(entry) ?? entry) : undefined;
}

type RecordedModule = Recording['manifest']['modules'][number];

function moduleOf({ manifest }: Recording, file: string): RecordedModule | undefined {
  return manifest.modules.findLast(({ url }) => url === file || pathOf(url) === file);
}

function filesOf({ manifest: { modules } }: Recording): string[] {
  return [...new Set(modules.map(({ url }) => pathOf(url) ?? url))];
}

function pathOf(url: string): string | undefined {
  return url.startsWith('file:') ? fileURLToPath(url) : undefined;
}
