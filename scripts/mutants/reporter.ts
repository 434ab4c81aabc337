// Progress of a Vitest run: a line for each start and end of a file or test, so that a killed run has named the test that
// hung. Test workers write lines themselves, since reporters learn nothing of a test that blocks its worker.
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** Environment variable that names the file to append to. */
export const PROGRESS_VARIABLE = 'TURNTABLE_MUTANT_PROGRESS';

export interface ProgressLine {
  readonly event: 'start' | 'end' | 'failed';
  readonly file: string;
  /** Undefined for a whole file. */
  readonly test?: string;
}

export interface TimedLine extends ProgressLine {
  /** In milliseconds. */
  readonly time: number;
}

export class ProgressReporter implements Reporter {
  onTestModuleStart(module: TestModule): void {
    writeProgress({ event: 'start', file: fileOf(module) });
  }

  onTestModuleEnd(module: TestModule): void {
    writeProgress({ event: module.ok() ? 'end' : 'failed', file: fileOf(module) });
  }

  onTestCaseResult(test: TestCase): void {
    if (test.result().state === 'failed')
      writeProgress({ event: 'failed', file: fileOf(test.module), test: test.fullName });
  }
}

function fileOf({ moduleId }: TestModule): string {
  return relative(process.cwd(), moduleId);
}

export function writeProgress(line: ProgressLine): void {
  const path = process.env[PROGRESS_VARIABLE];
  if (path !== undefined)
    appendFileSync(path, `${JSON.stringify({ ...line, time: Date.now() } satisfies TimedLine)}\n`);
}
