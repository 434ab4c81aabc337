// `turntable run FILE`: runs Node with the loader installed, in place of this process, or as a child with this
// process's terminal, signals and exit code.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { existsSync } from 'node:fs';
import { execImage, NODE_FLAGS_WITH_VALUE, imageProblem } from '@turntable/replayer/entry';
import type { CommandLine } from '../command-line/command-line.ts';
import { RUN } from '../command-line/record-commands.ts';
import { mistypedFlag, SETTINGS_WITH_VALUE, settingsFlags } from './settings-flags.ts';
import { reportUsageError } from './failure.ts';

const FORWARDED_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Flags of Node and of Turntable whose value is the next argument. */
const FLAGS_WITH_VALUE = new Set([...NODE_FLAGS_WITH_VALUE, ...SETTINGS_WITH_VALUE]);

/** Index of the program's file: the first argument that is not a flag. */
export function indexOfFile(args: readonly string[]): number {
  let index = 0;
  for (let arg = args[index]; arg?.startsWith('-') === true; arg = args[index]) {
    if (arg === '--') return index + 1;
    index += FLAGS_WITH_VALUE.has(arg) ? 2 : 1;
  }
  return index;
}

export interface SplitArguments {
  /** Environment variables for the settings among the flags. */
  readonly environment: Readonly<Record<string, string>>;
  /** Flags for Node. */
  readonly flags: readonly string[];
  /** A usage problem with the settings; undefined if there is none. */
  readonly problem: string | undefined;
  readonly file: string | undefined;
  readonly programArguments: readonly string[];
}

export function splitArguments(args: readonly string[], command: CommandLine = RUN): SplitArguments {
  const fileIndex = indexOfFile(args);
  const {
    environment,
    others: flags,
    problem,
  } = settingsFlags(
    args.slice(0, fileIndex).filter((flag) => flag !== '--'),
    command,
  );
  const [file, ...programArguments] = args.slice(fileIndex);
  return { environment, flags, problem, file, programArguments };
}

/** Runs a program; returns the exit code. */
export async function run(
  args: readonly string[],
  { command, defaults }: { readonly command: CommandLine; readonly defaults: Readonly<Record<string, string>> } = {
    command: RUN,
    defaults: {},
  },
): Promise<number> {
  const { environment, flags, problem, file, programArguments } = splitArguments(args, command);
  const usageProblem = problem ?? (await mistypedFlag(flags, command)) ?? fileProblem(file, flags.at(-1));
  if (usageProblem !== undefined || file === undefined) return reportUsageError(command.name, usageProblem);
  return runNode(flags, file, programArguments, { ...defaults, ...environment });
}

/** Reports a missing file; undefined if there is none to report. @param precedingFlag the flag before the file */
function fileProblem(file: string | undefined, precedingFlag: string | undefined): string | undefined {
  if (file === undefined) return 'which file?';
  if (isProgramFile(file)) return undefined;
  const isValue = precedingFlag?.startsWith('-') === true && !precedingFlag.includes('=');
  return `there is no file ${file}${isValue ? `; if it is the value of ${precedingFlag}, write ${precedingFlag}=${file}` : ''}`;
}

/** Whether Node finds a program of this name: Node resolves `server` to `server.js`, so both are tried. */
export function isProgramFile(file: string): boolean {
  return existsSync(file) || existsSync(`${file}.js`);
}

/**
 * Runs Node with the loader installed; returns the exit code. Where the platform can, Node replaces this process, so
 * that both end together; otherwise it is a child process.
 */
export async function runNode(
  flags: readonly string[],
  file: string,
  programArguments: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<number> {
  const register = import.meta.resolve('turntable/register');
  const { execPath, execArgv, argv0 } = process;
  const args = [...execArgv, ...flags, '--import', register, file, ...programArguments];
  const env = { ...process.env, ...environment };
  if (imageProblem() !== undefined) return runChild(execPath, args, env);
  return execImage({ execPath, argv0, args, env, cwd: process.cwd() });
}

function runChild(execPath: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(execPath, args, { stdio: 'inherit', env });
  const forward = (signal: NodeJS.Signals): boolean => child.kill(signal);
  for (const signal of FORWARDED_SIGNALS) process.on(signal, forward);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      for (const each of FORWARDED_SIGNALS) process.off(each, forward);
      resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal]);
    });
  });
}
