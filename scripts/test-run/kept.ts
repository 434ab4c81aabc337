// Keeps the files of failed tests: the output of each run as text, the reports, and the scratch directory of the first
// run with its recordings.
import { cpSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorReport, FileReport } from './report.ts';
import type { SecondRun } from './rerun.ts';

export function keptPath(results: string, node: number, file: string): string {
  return join(results, 'kept', `node-${node}`, file);
}

/** Directory for one test file on one Node version, emptied. */
export function keptDirectory(results: string, node: number, file: string): string {
  const directory = keptPath(results, node, file);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  return directory;
}

export function keepReports(directory: string, { first, second }: SecondRun): void {
  for (const [name, report] of Object.entries({ first, second })) {
    if (report === undefined) continue;
    writeFileSync(join(directory, `${name}.txt`), outputText(report));
    writeFileSync(join(directory, `${name}.json`), JSON.stringify(report, null, 2));
  }
}

/** Moves the scratch directory of the first run: recordings that the test deleted are in its folder `deleted`. */
export function keepScratch(directory: string, scratch: string): void {
  if (!existsSync(scratch)) return;
  const kept = join(directory, 'scratch');
  try {
    renameSync(scratch, kept);
  } catch {
    // Another file system. Sockets and pipes cannot be copied.
    const filter = (path: string): boolean => {
      const stats = lstatSync(path);
      return stats.isDirectory() || stats.isFile() || stats.isSymbolicLink();
    };
    cpSync(scratch, kept, { recursive: true, verbatimSymlinks: true, filter });
  }
}

function outputText(report: FileReport): string {
  const { tests, errors, output, children, processesLeft } = report;
  const lines = [`${report.file} on Node ${report.node}: ${report.state}`];
  for (const error of errors) lines.push('', `outside of its tests: ${errorText(error)}`);
  for (const test of tests)
    for (const error of test.errors) lines.push('', `in the test "${test.name}": ${errorText(error)}`);
  if (processesLeft !== undefined && processesLeft.length > 0)
    lines.push('', 'processes left:', ...processesLeft.map(({ pid, command }) => `  ${pid} ${command}`));
  if (children.length > 0) lines.push('', 'child processes:');
  for (const { pid, command, hasEnded, code, signal } of children)
    lines.push(`  ${pid} ${command}: ${hasEnded ? (signal ?? `exit code ${code}`) : 'still running'}`);
  if (output.length > 0) lines.push('', 'output:');
  for (const { at, source, text } of output) lines.push(`--- ${new Date(at).toISOString()} ${source}`, text.trimEnd());
  return `${lines.join('\n')}\n`;
}

function errorText({ name, message, stack, diff }: ErrorReport): string {
  return [stack.includes(message) ? stack : `${name}: ${message}\n${stack}`, diff]
    .filter((part) => part !== '')
    .join('\n');
}
