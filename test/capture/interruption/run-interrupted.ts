// Runs a program that is captured at job boundaries and resumed in a new process each time. Together, all processes
// must behave like a single run.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { errorLine, readHeaders, type ProgramRun } from '../../programs/run-program.ts';
import type { InterruptionBundle } from './bundle.ts';

export interface InterruptedRun extends ProgramRun {
  readonly captures: number;
  /** Stderr of the last process. */
  readonly stderr: string;
  /** Reasons why a boundary could not be captured. */
  readonly refusals: readonly string[];
}

export interface InterruptionOptions {
  /** Number of boundaries to skip before a capture. */
  skip?(captures: number): number;
  /** Number of captures after which the program runs undisturbed. */
  readonly maxCaptures?: number;
}

/** One process of an interrupted run. */
export interface RunPart {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | string;
}

export interface PartSettings {
  /** File to write the state to. */
  readonly to: string;
  /** File to resume from; the program starts from the beginning without it. */
  readonly from?: string | undefined;
  readonly skip?: number;
  /** File for the state's hash at every boundary, one per line. */
  readonly hashes?: string;
}

/** Exit code of a captured process. */
export const INTERRUPTED_EXIT_CODE = 97;
export const SKIP_ALL = 2 ** 30;

export async function runInterrupted(
  file: string,
  bundle: InterruptionBundle,
  { skip = () => 0, maxCaptures = Infinity }: InterruptionOptions = {},
): Promise<InterruptedRun> {
  const directory = mkdtempSync(join(tmpdir(), 'interrupted-'));
  const refusals = new Set<string>();
  let stdout = '';
  try {
    for (let captures = 0; ; captures++) {
      const from = captures === 0 ? undefined : join(directory, `state-${captures % 2}`);
      const to = join(directory, `state-${(captures + 1) % 2}`);
      const settings = { from, to, skip: captures < maxCaptures ? skip(captures) : SKIP_ALL };
      const part = await runPart(file, bundle, settings);
      stdout += part.stdout;
      for (const [, text] of part.stderr.matchAll(/^not captured: (.*)$/gm)) refusals.add(text ?? '');
      if (part.code !== INTERRUPTED_EXIT_CODE) {
        const died = part.code === 0 ? '' : errorLine(part.stderr);
        return { stdout, code: part.code, died, captures, refusals: [...refusals], stderr: part.stderr };
      }
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Comparable part of a run. Node's own stack frames are left out, since jobs run from another place in a new process.
 */
export function comparableRun({ stdout, code, died }: ProgramRun): ProgramRun {
  const lines = stdout.split('\n').filter((line) => !/^\s+at .*(?:node:internal\/|node:async_hooks)/.test(line));
  return { stdout: lines.join('\n'), code, died };
}

export function runPart(file: string, bundle: InterruptionBundle, settings: PartSettings): Promise<RunPart> {
  const { flags, environment } = readHeaders(file);
  const entry = settings.from === undefined ? basename(file) : bundle.resume;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...flags, '--import', bundle.preload, entry],
      {
        cwd: dirname(file),
        timeout: 60_000,
        maxBuffer: 2 ** 24,
        env: {
          ...process.env,
          NODE_OPTIONS: '',
          NODE_COMPILE_CACHE: bundle.compileCache,
          NO_COLOR: '1',
          TURNTABLE_CACHE: process.env['TURNTABLE_CACHE'] ?? 'off',
          ...environment,
          TURNTABLE_INTERRUPTION: JSON.stringify(settings),
        },
      },
      (error, stdout, stderr) => {
        resolve({ stdout, stderr, code: error === null ? 0 : (error.code ?? error.signal ?? 'unknown') });
      },
    );
  });
}
