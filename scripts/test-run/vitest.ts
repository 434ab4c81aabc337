// Runs Vitest in a child process on one Node version and reads its report.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../node-release.mjs';
import type { RunReport } from './report.ts';
import { REPORT_VARIABLE } from './reporter.ts';
import type { VitestRun } from './rerun.ts';
import { RERUN_VARIABLE, RUN_VARIABLE } from './scratch.ts';

export interface VitestOptions {
  /** Path of the Node.js to run on. */
  readonly binary: string;
  /** Options and patterns of Vitest's. */
  readonly args: readonly string[];
  /** Where the report is written. */
  readonly report: string;
  /** Directory for the scratch directories of the test files. */
  readonly run: string;
  readonly isRerun?: boolean;
}

export function runVitest({ binary, args, report, run, isRerun = false }: VitestOptions): VitestRun {
  rmSync(report, { force: true });
  const { status } = spawnSync(binary, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, [REPORT_VARIABLE]: report, [RUN_VARIABLE]: run, ...(isRerun && { [RERUN_VARIABLE]: '1' }) },
  });
  return { report: readReport(report), exitCode: status };
}

function readReport(path: string): RunReport | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as RunReport;
  } catch {
    return undefined; // The run ended before it wrote one.
  }
}
