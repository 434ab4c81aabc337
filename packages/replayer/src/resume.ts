// The entry point of a process that goes on from a state (`turntable restore`); the loader takes it for nothing of the program's.
import { installedLoader } from './thread/loader.ts';
import { prepareStates } from '@turntable/program-state';
import { readFileSync } from 'node:fs';
import type { CalledFor } from './replay-process/called-for.ts';
import { takeContinuation } from './restore/continuation.ts';
import { replayingHere } from './thread/threads-tape.ts';
import { isDirectory, recordingIn } from './places/recording-in.ts';

const { place: file, epoch, rollbacks, ...options } = takeContinuation(process.env);

/** Of a process that has begun before it was known with which snapshot it is to. */
async function calledFor(): Promise<CalledFor | undefined> {
  const replaying = replayingHere();
  if (replaying?.order.engine?.isCalled !== true) return undefined;
  return (await import('./replay-process/called-for.ts')).calledFor(replaying);
}

async function restored(): Promise<() => Promise<void>> {
  try {
    if (isDirectory(file)) {
      const { restoreRecording } = await import('./restore/restore-recording.ts');
      const called = await calledFor();
      const its = called === undefined ? options : { ...options, phase: called.phase };
      const states = replayingHere()?.order.state?.directory;
      return await restoreRecording(recordingIn(file), { ...its, states }, { epoch, rollbacks }, called?.state);
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
