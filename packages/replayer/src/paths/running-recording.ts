// What a program that goes on has recorded so far: as of one moment, in a directory of our own. The program is not stopped, and does not see it.
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openRecording, RecordingError, serviceDirectories } from '@turntable/recording';
import { copyRecording } from '@turntable/recording/packed';
import { callService, listServices, type Service } from '@turntable/recording/services';

export interface RunningRecordingCopy {
  readonly directory: string;
  /** Until when it reaches: milliseconds since 1970. */
  readonly until: number;
}

/** Milliseconds: what is of a program that has begun just now is written soon. */
const START_TIMEOUT_MS = 5000;
const POLL_INTERVAL_MS = 50;

/** @param target a directory, in which one is made for it */
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

/** Whoever writes it brings to the disk what there is; where nobody can be asked, it is what is there. */
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

/** Of this user, on this computer. */
export async function runningServiceOf(pid: number): Promise<Service> {
  const services = await listServices(serviceDirectories(process.env));
  const found = services.find(({ state }) => state.pid === pid);
  if (found !== undefined) return found;
  throw new RecordingError(
    'TT_SERVICE',
    `no program of this user with the number ${pid} is being recorded; turntable services lists those that are`,
  );
}

/** Where a program records to. Rejects if it has recorded nothing that could be run again. */
export async function runningRecordingOf(pid: number): Promise<string> {
  const { state } = await runningServiceOf(pid);
  if (state.isTraced && state.state !== 'waiting') return state.recording;
  const remedy = state.isTraced ? `turntable services ${pid} start` : 'start it with turntable record';
  throw new RecordingError('TT_SERVICE', `program ${pid} has recorded nothing yet that could be run again: ${remedy}`);
}
