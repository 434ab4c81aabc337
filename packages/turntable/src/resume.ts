// The entry point of a process that goes on from a state (`turntable restore`); the loader takes it for nothing of the program's.
import { installedLoader } from '@turntable/loader';
import { readFileSync } from 'node:fs';
import { isDirectory, recordingIn } from './recording-in.ts';

const file = process.env['TURNTABLE_RESTORE'] ?? '';
delete process.env['TURNTABLE_RESTORE'];

function phaseOf(text: string | undefined): number | undefined {
  delete process.env['TURNTABLE_RESTORE_PHASE'];
  return text === undefined || text === '' ? undefined : Number(text);
}

async function restored(): Promise<() => Promise<void>> {
  try {
    if (isDirectory(file)) {
      const { restoreRecording } = await import('./restore-recording.ts');
      return await restoreRecording(recordingIn(file), phaseOf(process.env['TURNTABLE_RESTORE_PHASE']));
    }
    if (file.endsWith('.tts')) {
      const { restoreSnapshot } = await import('./restore-recording.ts');
      return await restoreSnapshot(file);
    }
    const state = await installedLoader().state();
    return await state.restore(readFileSync(file));
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === undefined) throw error;
    process.stderr.write(`turntable restore: ${file}: ${message}\n`);
    return process.exit(1);
  }
}

const goOn = await restored();
await goOn();
