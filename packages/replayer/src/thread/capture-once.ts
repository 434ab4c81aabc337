// `--capture FILE`: runs the program to a job boundary, writes its state into the file and ends the process; `turntable
// restore FILE` resumes it. Boundaries at which the capture fails are skipped; the last reason is reported if all fail.
import { renameSync, statSync, writeFileSync } from 'node:fs';
import type { Loader } from './loader.ts';
import type { CaptureSettings } from './capture-settings.ts';

export async function captureOnce(
  loader: Loader,
  { file, skippedBoundaries, handles }: CaptureSettings,
  isResuming: boolean,
): Promise<void> {
  const state = await loader.programState();
  let passedBoundaries = 0;
  let isFirst = isResuming;
  let refusal: string | undefined;
  process.once('exit', (code) => {
    if (code === 0) process.exitCode = 1;
    printLine(
      refusal === undefined
        ? `nothing was captured: the program ended after ${boundaryCountText(passedBoundaries)}`
        : `nothing was captured: ${refusal}`,
    );
  });
  state.observeBoundaries((boundary) => {
    // At the entry of a restored program, nothing has run since the last capture.
    if (isFirst && boundary === 'entry') return void (isFirst = false);
    isFirst = false;
    if (passedBoundaries++ < skippedBoundaries) return;
    let bytes: Uint8Array;
    try {
      bytes = state.capture(boundary === 'tick', { handles });
    } catch (error) {
      refusal = error instanceof Error ? error.message : String(error);
      return;
    }
    saveAndExit(file, bytes, passedBoundaries - 1);
  });
}

/** Ends the process at once, without `exit` listeners: the restored program will call them. */
function saveAndExit(file: string, bytes: Uint8Array, passedBoundaries: number): never {
  const { reallyExit } = process as unknown as { reallyExit(code: number): never };
  try {
    writeFileSync(`${file}.part`, bytes);
    renameSync(`${file}.part`, file);
  } catch (error) {
    printLine(`the state cannot be written: ${(error as Error).message}`);
    reallyExit(1);
  }
  const size = Math.ceil(statSync(file).size / 1024);
  printLine(
    `captured after ${boundaryCountText(passedBoundaries)}: ${size} KiB in ${file}; continue with: turntable restore ${file}`,
  );
  return reallyExit(0);
}

function boundaryCountText(boundaries: number): string {
  return boundaries === 1 ? '1 job boundary' : `${boundaries} job boundaries`;
}

function printLine(text: string): void {
  process.stderr.write(`turntable: ${text}\n`);
}
