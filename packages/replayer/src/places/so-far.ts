// What a program that goes on has recorded so far: as of one moment, in a directory of our own. The program is not stopped, and does not see it.
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openRecording, RecordingError, servicePlaces } from '@turntable/recording';
import { copyRecording } from '@turntable/recording/packed';
import { askService, listServices, type Service } from '@turntable/recording/services';

export interface SoFar {
  readonly directory: string;
  /** Until when it reaches: milliseconds since 1970. */
  readonly until: number;
}

/** Milliseconds: what is of a program that has begun just now is written soon. */
const PATIENCE = 5000;
const LOOK = 50;

/** @param into a directory, in which one is made for it */
export async function copiedSoFar(directory: string, into: string, signal?: AbortSignal | undefined): Promise<SoFar> {
  await flushed(directory);
  const latest = Date.now() + PATIENCE;
  while (!isBegun(directory) && Date.now() < latest) await delay(LOOK, undefined, { signal });
  const until = Date.now();
  const copy = join(into, `until-${until}`);
  mkdirSync(copy, { mode: 0o700 });
  copyRecording(directory, copy);
  return { directory: copy, until };
}

function isBegun(directory: string): boolean {
  return existsSync(join(directory, 'manifest.json')) && openRecording(directory).manifest.entry !== null;
}

/** Whoever writes it brings to the disk what there is; where nobody can be asked, it is what is there. */
async function flushed(directory: string): Promise<void> {
  const place = realPath(directory);
  const all = await listServices(servicePlaces(process.env));
  const service = all.find(({ state }) => realPath(state.recording) === place);
  if (service !== undefined) await askService(service.path, 'flush', AbortSignal.timeout(PATIENCE)).catch(() => {});
}

function realPath(directory: string): string {
  return existsSync(directory) ? realpathSync(directory) : directory;
}

/** Of this user, on this computer. */
export async function serviceOf(pid: number): Promise<Service> {
  const all = await listServices(servicePlaces(process.env));
  const found = all.find(({ state }) => state.pid === pid);
  if (found !== undefined) return found;
  throw new RecordingError(
    'TT_SERVICE',
    `no program of this user with the number ${pid} is being recorded; turntable services lists those that are`,
  );
}

/** Where a program records to. Rejects if it has recorded nothing that could be run again. */
export async function recordingOf(pid: number): Promise<string> {
  const { state } = await serviceOf(pid);
  if (state.isTraced && state.state !== 'waiting') return state.recording;
  const remedy = state.isTraced ? `turntable services ${pid} start` : 'start it with turntable record';
  throw new RecordingError('TT_SERVICE', `program ${pid} has recorded nothing yet that could be run again: ${remedy}`);
}
