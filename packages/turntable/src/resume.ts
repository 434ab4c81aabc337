// The entry point of a process that goes on from a state (`turntable restore`); the loader takes it for nothing of the program's.
import { installedLoader, prepareStates } from '@turntable/loader';
import { readFileSync } from 'node:fs';
import { takeContinuation } from './going-on/continuation.ts';
import { replayingHere } from './thread/threads-tape.ts';
import { isDirectory, recordingIn } from './places/recording-in.ts';

const { place: file, epoch, rollbacks, ...options } = takeContinuation(process.env);

async function restored(): Promise<() => Promise<void>> {
  try {
    if (isDirectory(file)) {
      const { restoreRecording } = await import('./going-on/restore-recording.ts');
      return await restoreRecording(recordingIn(file), options, { epoch, rollbacks });
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
