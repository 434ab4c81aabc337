// What a Vitest configuration needs so that `npm test` and `npm run soak:mutants` can run its files.
import { join } from 'node:path';
import { PROGRESS_VARIABLE, ProgressReporter } from '../mutants/reporter.ts';
import { REPORT_VARIABLE, ReportWriter } from './reporter.ts';

function reporters(): (string | ReportWriter | ProgressReporter)[] {
  if (process.env[PROGRESS_VARIABLE] !== undefined) return [new ProgressReporter()];
  return process.env[REPORT_VARIABLE] === undefined ? ['default'] : ['default', new ReportWriter()];
}

export const testRunOptions = {
  setupFiles: [join(import.meta.dirname, 'setup.ts')],
  reporters: reporters(),
};
