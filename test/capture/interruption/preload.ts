/*
 * Loaded before a program that is to be interrupted: at a job boundary its state goes into a file and the process ends at once, with an
 * exit code that nothing else has. `TURNTABLE_INTERRUPTION`: {"to": file, "from"?: file, "skip"?: boundaries to let pass}.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { installedLoader } from '@turntable/loader';
import 'turntable/register';

interface Interruption {
  readonly to?: string;
  readonly from?: string;
  readonly skip?: number;
}

const INTERRUPTED = 97;
export const interruption = JSON.parse(process.env['TURNTABLE_INTERRUPTION'] ?? '{}') as Interruption;
delete process.env['TURNTABLE_INTERRUPTION'];

export const state = await installedLoader().state();

const before = interruption.from === undefined ? undefined : readFileSync(interruption.from);
const refused = new Set<string>();
let left = interruption.skip ?? 0;
let resuming = before !== undefined;

// Of this process alone: workers and child processes inherit `--import`.
const { to } = interruption;
if (isMainThread && to !== undefined) {
  state.observe((after) => {
    // Nothing has happened yet.
    if (resuming && after === 'entry') return void (resuming = false);
    resuming = false;
    if (left-- > 0) return;
    let bytes: Uint8Array;
    try {
      bytes = state.capture(after === 'tick');
    } catch (error) {
      const text = error instanceof Error && 'code' in error ? error.message : String((error as Error)?.stack ?? error);
      if (!refused.has(text)) process.stderr.write(`\nnot captured: ${text}\n`);
      refused.add(text);
      return;
    }
    // What has run was not the program's.
    if (before?.equals(bytes) === true) return;
    writeFileSync(to, bytes);
    (process as unknown as { reallyExit(code: number): never }).reallyExit(INTERRUPTED);
  });
}
