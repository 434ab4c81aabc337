// Vitest reporter that appends a line for each start and end of a file or test, so that a killed run has named the test
// that hung.
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** Environment variable that names the file to append to. */
export const PROGRESS_VARIABLE = 'TURNTABLE_MUTANT_PROGRESS';

export interface ProgressLine {
  readonly event: 'start' | 'passed' | 'failed';
  readonly file: string;
  /** Undefined for a whole file. */
  readonly test?: string;
}

export class ProgressReporter implements Reporter {
  onTestModuleStart(module: TestModule): void {
    write({ event: 'start', file: fileOf(module) });
  }

  onTestModuleEnd(module: TestModule): void {
    write({ event: module.ok() ? 'passed' : 'failed', file: fileOf(module) });
  }

  onTestCaseReady(test: TestCase): void {
    write({ event: 'start', file: fileOf(test.module), test: test.fullName });
  }

  onTestCaseResult(test: TestCase): void {
    const event = test.result().state === 'failed' ? 'failed' : 'passed';
    write({ event, file: fileOf(test.module), test: test.fullName });
  }
}

function fileOf({ moduleId }: TestModule): string {
  return relative(process.cwd(), moduleId);
}

function write(line: ProgressLine): void {
  const path = process.env[PROGRESS_VARIABLE];
  if (path !== undefined) appendFileSync(path, `${JSON.stringify(line)}\n`);
}
