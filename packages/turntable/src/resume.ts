// The entry point of a process that goes on from a state (`turntable restore`); the loader takes it for nothing of the program's.
import { installedLoader } from '@turntable/loader';
import { readFileSync, statSync } from 'node:fs';

const file = process.env['TURNTABLE_RESTORE'] ?? '';
delete process.env['TURNTABLE_RESTORE'];

async function restored(): Promise<() => Promise<void>> {
  try {
    const isRecording = statSync(file).isDirectory();
    if (isRecording || file.endsWith('.tts')) {
      const { restoreRecording, restoreSnapshot } = await import('./restore-recording.ts');
      return await (isRecording ? restoreRecording(file) : restoreSnapshot(file));
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
