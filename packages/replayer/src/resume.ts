// Entry point of a process that restores a program (`turntable restore`). The loader does not count this file as part
// of the program.
import { installedLoader } from './thread/loader.ts';
import { prepareRelocation } from '@turntable/program-state';
import { readFileSync } from 'node:fs';
import type { AssignedSnapshot } from './replay-process/standby-assignment.ts';
import { sanitizeLines } from './output/terminal-text.ts';
import { takeRestoreRequest } from './restore/restore-request.ts';
import { currentReplay } from './thread/current-tape.ts';
import { isDirectory, resolveRecording } from './paths/recording-lookup.ts';

const { path: file, epoch, rollbacks, ...options } = takeRestoreRequest(process.env);

/** Waits for the snapshot that is assigned to this process. Undefined if this is not a standby process. */
async function receiveAssignedSnapshot(): Promise<AssignedSnapshot | undefined> {
  const replay = currentReplay();
  if (replay?.request.driver?.isStandby !== true) return undefined;
  return (await import('./replay-process/standby-assignment.ts')).receiveSnapshotAssignment(replay);
}

async function restoreState(): Promise<() => Promise<void>> {
  try {
    if (isDirectory(file)) {
      const { restoreRecording } = await import('./thread/restore-recording.ts');
      const assignedSnapshot = await receiveAssignedSnapshot();
      const restoreOptions = assignedSnapshot === undefined ? options : { ...options, phase: assignedSnapshot.phase };
      const states = currentReplay()?.request.checkpoint?.directory;
      return await restoreRecording(
        resolveRecording(file),
        { ...restoreOptions, states },
        { epoch, rollbacks },
        assignedSnapshot?.programState,
      );
    }
    const programState = await installedLoader().programState();
    const bytes = readFileSync(file);
    programState.relocate(await prepareRelocation([bytes], { root: options.root }));
    return await programState.restore(bytes);
  } catch (error) {
    currentReplay()?.failToStart(error);
    const { code, message } = error as { code?: string; message: string };
    if (code === undefined) throw error;
    process.stderr.write(sanitizeLines(`turntable restore: ${file}: ${message}\n`));
    return process.exit(1);
  }
}

const resumeProgram = await restoreState();
await resumeProgram();
