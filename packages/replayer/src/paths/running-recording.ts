// Copies the recording of a running program, consistent at one moment, into a temporary directory. The program does not
// stop and does not notice.
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

/** Timeout for the first data of a new program, in milliseconds. */
const START_TIMEOUT_MS = 5000;
const POLL_INTERVAL_MS = 50;

/** @param target directory in which the copy gets a directory */
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

/** Asks the writer to flush. If no writer answers, the copy has what is already written. */
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

/** The running service with this process id, of this user on this computer. */
export async function runningServiceOf(pid: number): Promise<Service> {
  const services = await listServices(serviceDirectories(process.env));
  const found = services.find(({ state }) => state.pid === pid);
  if (found !== undefined) return found;
  throw new RecordingError(
    'TT_SERVICE',
    `no program of this user with process id ${pid} is being recorded; turntable services lists the recorded ones`,
  );
}

/** Directory of the program's recording. Rejects if it has recorded nothing that can be replayed. */
export async function runningRecordingOf(pid: number): Promise<string> {
  const { state } = await runningServiceOf(pid);
  if (state.isTraced && state.state !== 'waiting') return state.recording;
  const remedy = state.isTraced ? `turntable services ${pid} start` : 'start it with turntable record';
  throw new RecordingError('TT_SERVICE', `program ${pid} has no replayable recording yet: ${remedy}`);
}
