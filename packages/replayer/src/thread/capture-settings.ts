// Settings for a capture of the program: `--capture FILE --capture-after N --handles dead`.
import { resolve } from 'node:path';

export interface CaptureSettings {
  readonly file: string;
  readonly skippedBoundaries: number;
  readonly handles: 'refuse' | 'dead';
}

/** Reads the settings and removes them from the environment, so that child processes do not inherit them. */
export function takeCaptureSettings(environment: NodeJS.ProcessEnv): CaptureSettings | undefined {
  const { TURNTABLE_CAPTURE: file, TURNTABLE_CAPTURE_AFTER: after, TURNTABLE_HANDLES: handles } = environment;
  delete environment['TURNTABLE_CAPTURE'];
  delete environment['TURNTABLE_CAPTURE_AFTER'];
  delete environment['TURNTABLE_HANDLES'];
  if (file === undefined || file === '') return undefined;
  return { file: resolve(file), skippedBoundaries: parseCount(after), handles: parseHandles(handles) };
}

function parseHandles(text = 'refuse'): CaptureSettings['handles'] {
  if (text === 'refuse' || text === 'dead') return text;
  process.stderr.write(`turntable: --handles takes "refuse" or "dead", not "${text}"\n`);
  process.exit(2);
}

function parseCount(text: string | undefined): number {
  if (text === undefined || text === '') return 0;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  process.stderr.write(`turntable: --capture-after takes a number of job boundaries, not "${text}"\n`);
  process.exit(2);
}
