// Finds the recording of a running program, and copies it as of one moment without pausing the program.
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openRecording, RecordingError, serviceDirectories } from '@turntable/recording';
import { copyRecording } from '@turntable/recording/packed';
import { callService, listServices, type Service } from '@turntable/recording/services';

export interface RunningRecordingCopy {
  readonly directory: string;
  /** End of the copy, in milliseconds since 1970. */
  readonly until: number;
}

/** Timeout for the first data of a program that has just started, and for its service to flush the recording. */
const START_TIMEOUT_MS = 5000;
const POLL_INTERVAL_MS = 50;

/** @param target directory that will contain the directory of the copy */
export async function copyRunningRecording(
  directory: string,
  target: string,
  signal?: AbortSignal | undefined,
): Promise<RunningRecordingCopy> {
  await flushWriter(directory);
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!hasStarted(directory) && Date.now() < deadline) await delay(POLL_INTERVAL_MS, undefined, { signal });
  const copiedAt = Date.now();
  const copy = join(target, `until-${copiedAt}`);
  mkdirSync(copy, { mode: 0o700 });
  copyRecording(directory, copy);
  return { directory: copy, until: copiedAt };
}

function hasStarted(directory: string): boolean {
  return existsSync(join(directory, 'manifest.json')) && openRecording(directory).manifest.entry !== null;
}

/** Asks the writer to flush. If no writer answers, the copy has the bytes already written. */
async function flushWriter(directory: string): Promise<void> {
  const recordingPath = realPath(directory);
  const services = await listServices(serviceDirectories(process.env));
  const service = services.find(({ state }) => realPath(state.recording) === recordingPath);
  if (service !== undefined)
    await callService(service.path, 'flush', AbortSignal.timeout(START_TIMEOUT_MS)).catch(() => {});
}

function realPath(directory: string): string {
  return existsSync(directory) ? realpathSync(directory) : directory;
}

/** Service of the running program with this process id, started by the same user. @throws if there is none */
export async function runningServiceOf(pid: number): Promise<Service> {
  const services = await listServices(serviceDirectories(process.env));
  const found = services.find(({ state }) => state.pid === pid);
  if (found !== undefined) return found;
  throw new RecordingError(
    'TT_SERVICE',
    `no process ${pid} of this user is being recorded; turntable services lists recorded processes`,
  );
}

/** Directory of the program's recording. Rejects if the recording cannot be replayed yet. */
export async function runningRecordingOf(pid: number): Promise<string> {
  const { state } = await runningServiceOf(pid);
  if (state.isTraced && state.state !== 'waiting') return state.recording;
  const remedy = state.isTraced ? `turntable services ${pid} start` : 'start it with turntable record';
  throw new RecordingError('TT_SERVICE', `process ${pid} has recorded nothing to replay yet: ${remedy}`);
}
