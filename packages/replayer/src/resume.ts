// The entry point of a process that goes on from a state (`turntable restore`); the loader takes it for nothing of the program's.
import { installedLoader } from './thread/loader.ts';
import { prepareStates } from '@turntable/program-state';
import { readFileSync } from 'node:fs';
import type { AssignedSnapshot } from './replay-process/standby-assignment.ts';
import { takeContinuation } from './restore/continuation.ts';
import { replayingHere } from './thread/threads-tape.ts';
import { isDirectory, recordingIn } from './places/recording-in.ts';

const { place: file, epoch, rollbacks, ...options } = takeContinuation(process.env);

/** The snapshot that a standby process is assigned. */
async function assignedSnapshot(): Promise<AssignedSnapshot | undefined> {
  const replaying = replayingHere();
  if (replaying?.order.engine?.isStandby !== true) return undefined;
  return (await import('./replay-process/standby-assignment.ts')).awaitAssignment(replaying);
}

async function restored(): Promise<() => Promise<void>> {
  try {
    if (isDirectory(file)) {
      const { restoreRecording } = await import('./thread/restore-recording.ts');
      const assigned = await assignedSnapshot();
      const its = assigned === undefined ? options : { ...options, phase: assigned.phase };
      const states = replayingHere()?.order.state?.directory;
      return await restoreRecording(recordingIn(file), { ...its, states }, { epoch, rollbacks }, assigned?.state);
    }
    const state = await installedLoader().state();
    const bytes = readFileSync(file);
    state.goElsewhere(await prepareStates([bytes], { root: options.root }));
    return await state.restore(bytes);
  } catch (error) {
    replayingHere()?.cannotBegin(error);
    const { code, message } = error as { code?: string; message: string };
    if (code === undefined) throw error;
    process.stderr.write(`turntable restore: ${file}: ${message}\n`);
    return process.exit(1);
  }
}

const goOn = await restored();
await goOn();
