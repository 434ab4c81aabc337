// Writes small programs to disk and runs them natively and transformed, each in a separate process.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FLAGS, REGISTER } from '../../../scripts/tested-form.ts';

export type Files = Readonly<Record<string, string>>;

export interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}

/** Inside the workspace, so that programs find its packages. */
const SCRATCH = fileURLToPath(new URL('.cache/', import.meta.url));

/** Creates a directory with these files and removes it after the test. `onFinished` is that of the test. */
export function createProgram(files: Files, onFinished: (clean: () => void) => void): string {
  mkdirSync(SCRATCH, { recursive: true });
  const directory = mkdtempSync(join(SCRATCH, 'program-'));
  onFinished(() => rmSync(directory, { recursive: true, force: true }));
  for (const [name, text] of Object.entries({ 'package.json': '{"name":"program"}', ...files })) {
    const file = join(directory, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return directory;
}

export interface ProgramRunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
}

/** Runs Node in the directory with these arguments. */
export function runWith(directory: string, args: readonly string[], options: ProgramRunOptions): Promise<Outcome> {
  const environment: NodeJS.ProcessEnv = {
    ...process.env,
    TURNTABLE_CACHE: 'off',
    // Turntable's sources are TypeScript here: erasing their types would take most of a process's time.
    NODE_COMPILE_CACHE: join(SCRATCH, 'compiled'),
    NODE_OPTIONS: '',
    ...options.environment,
  };
  for (const name of Object.keys(environment)) if (name.startsWith('VITEST')) Reflect.deleteProperty(environment, name);
  const child = spawn(process.execPath, [...(options.flags ?? []), ...args], { cwd: directory, env: environment });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ stdout, stderr, code }));
  });
}

export function runNative(directory: string, main: string, options: ProgramRunOptions = {}): Promise<Outcome> {
  return runWith(directory, [join(directory, main)], options);
}

export function runTransformed(directory: string, main: string, options: ProgramRunOptions = {}): Promise<Outcome> {
  return runWith(directory, [...FLAGS, '--import', REGISTER, join(directory, main)], options);
}

/** The comparable behaviour of a program; the locations of an error's frames are not. */
export function comparableOutcome({ stdout, stderr, code }: Outcome): object {
  const uncaughtError = /^(?:Uncaught )?(\w*Error\b.*)$/m.exec(stderr)?.[1];
  return { stdout, code, uncaught: uncaughtError };
}
