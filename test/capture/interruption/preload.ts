// Preloaded into a program to interrupt it: at a job boundary, writes the state to a file and ends the process at once
// with a special exit code. The environment variable TURNTABLE_INTERRUPTION holds `PartSettings`.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { isMainThread } from 'node:worker_threads';
import { installedLoader } from '@turntable/replayer';
import type { PartSettings } from './run-interrupted.ts';
import 'turntable/register';

const INTERRUPTED_EXIT_CODE = 97;
export const interruption = JSON.parse(process.env['TURNTABLE_INTERRUPTION'] ?? '{}') as Partial<PartSettings>;
delete process.env['TURNTABLE_INTERRUPTION'];

export const state = await installedLoader().programState();

const { to, from, skip = 0, hashes } = interruption;
const before = from === undefined ? undefined : readFileSync(from);
const refused = new Set<string>();
let left = skip;
let resuming = before !== undefined;

// Only in this thread and process; workers and child processes inherit `--import`.
if (isMainThread && to !== undefined) {
  state.observeBoundaries((after) => {
    // Nothing has run yet.
    if (resuming && after === 'entry') return void (resuming = false);
    resuming = false;
    if (hashes !== undefined) appendFileSync(hashes, `${after} ${state.hash()}\n`);
    if (left-- > 0) return;
    let bytes: Uint8Array;
    try {
      bytes = state.capture(after === 'tick');
    } catch (error) {
      const isRefusal = error instanceof Error && 'code' in error;
      const text = isRefusal ? error.message : `unexpectedly, ${inspect(error)}`;
      if (!refused.has(text)) process.stderr.write(`\nnot captured: ${text}\n`);
      refused.add(text);
      return;
    }
    // The code that ran was not the program's.
    if (before?.equals(bytes) === true) return;
    writeFileSync(to, bytes);
    (process as unknown as { reallyExit(code: number): never }).reallyExit(INTERRUPTED_EXIT_CODE);
  });
}
