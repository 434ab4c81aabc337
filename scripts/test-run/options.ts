// What a Vitest configuration needs so that `npm test` can run its files.
import { join } from 'node:path';
import { REPORT_VARIABLE, ReportWriter } from './reporter.ts';

export const testRunOptions = {
  setupFiles: [join(import.meta.dirname, 'setup.ts')],
  ...(process.env[REPORT_VARIABLE] === undefined ? {} : { reporters: ['default', new ReportWriter()] }),
};
