// `turntable restore STATE|DIR`: resumes a program from a state or snapshot, with this process's terminal, signals and
// exit code, if the user agrees. A program does the same with `restore(DIR)`, which replaces this process where the
// platform can, and does not ask.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { prepareRelocation } from '@turntable/program-state';
import { describeState } from '@turntable/program-state/inert';
import { isPackedFile } from '@turntable/recording/packed';
import { RuntimeError } from '@turntable/runtime';
import {
  requireImagePaths,
  flushOutput,
  isDirectory,
  SHUTDOWN_TIMEOUT_MS,
  resolveRecording,
  findRestorable,
  resumeFile,
  restoreVariables,
  withoutEvalFlags,
  type RestoreRequest,
} from '@turntable/replayer/replay';
import { execImage, imageProblem } from '@turntable/replayer/entry';
import type { RestoreOptions } from '@turntable/replayer';
import { runNode, splitArguments } from './run.ts';
import type { Option } from '../command-line/command-line.ts';
import { RESTORE, RESTORE_OPTIONS } from '../command-line/maintain-commands.ts';
import { entryPath } from '../entry-path.ts';
import { mistypedFlag } from './settings-flags.ts';
import { reportFailure, reportUsageError } from './failure.ts';
import { requireConsent, type RestoreSubject } from './restore-consent.ts';

const OPTIONS: readonly Option[] = RESTORE_OPTIONS;
/** Values by flag; a switch has the value ''. */
type OptionValues = Partial<Record<(typeof RESTORE_OPTIONS)[number]['flag'], string>>;

export async function restoreCommand(args: readonly string[]): Promise<number> {
  const { values, remaining } = splitOptions(args);
  const { environment, flags, problem: settingsProblem, file, programArguments } = splitArguments(remaining, RESTORE);
  const problem =
    settingsProblem ??
    optionProblem(values) ??
    (await mistypedFlag(flags, RESTORE)) ??
    fileProblem(file, programArguments, values);
  if (problem !== undefined || file === undefined) return reportUsageError('restore', problem);
  const { phase, code, root, yes, trusted } = values;
  let request: RestoreRequest = {
    path: resolve(file),
    phase: phase === undefined ? undefined : Number(phase),
    code: code as RestoreOptions['code'],
    root: root === undefined ? undefined : resolve(root),
  };
  if (trusted === undefined) {
    try {
      const subject = await findSubject(request);
      await requireConsent(subject, yes);
      // Not a snapshot or recording that was added meanwhile.
      request = { ...request, path: subject.path, phase: subject.phase };
    } catch (error) {
      return reportFailure('restore', request.path, error);
    }
  }
  return runNode([...flags], resumeFile(), [], { ...environment, ...restoreVariables(request) });
}

/** Finds what a request would run. @throws if it cannot be restored */
async function findSubject({ path, ...options }: RestoreRequest): Promise<RestoreSubject> {
  if (!isDirectory(path)) {
    const state = readFileSync(path);
    await prepareRelocation([state], { root: options.root });
    const { main } = await describeState(state);
    return { path, phase: undefined, program: main ?? undefined, time: statSync(path).mtime.toISOString() };
  }
  const { snapshot, manifest } = await findRestorable(resolveRecording(path), options);
  const { entry, created } = manifest;
  return { path: snapshot.recording, phase: snapshot.phase, program: entryPath(entry), time: created };
}

/** Replaces this process by the restored program. It never returns; if it rejects, nothing has changed. */
export async function restoreAs(path: string, { phase, code, root }: RestoreOptions): Promise<never> {
  if (!isMainThread) throw new RuntimeError('TT_IN_PLACE', 'restore(…) is for the main thread of a process');
  const options = { phase, code, root: root === undefined ? undefined : resolve(root) };
  if (isDirectory(path)) await findRestorable(resolveRecording(resolve(path)), options);
  else if (!existsSync(path)) throw new RuntimeError('TT_NO_SNAPSHOT', `there is no recording ${path}`);
  const variables = restoreVariables({ ...options, path: resolve(path) });
  if (imageProblem() !== undefined) return process.exit(await runNode([], resumeFile(), [], variables));
  const { env, execPath, execArgv, argv0 } = process;
  const register = import.meta.resolve('turntable/register');
  const flags = withoutEvalFlags(execArgv);
  const hasRegister = flags.some((flag) => flag === register || flag === `--import=${register}`);
  const args = [...flags, ...(hasRegister ? [] : ['--import', register]), resumeFile()];
  const image = { execPath, argv0, args, env: { ...env, ...variables }, cwd: process.cwd() };
  requireImagePaths(image);
  await flushOutput(SHUTDOWN_TIMEOUT_MS);
  return execImage(image);
}

function fileProblem(
  file: string | undefined,
  programArguments: readonly string[],
  values: OptionValues,
): string | undefined {
  if (file === undefined) return 'name a state or a recording';
  if (programArguments.length > 0) return 'a restored program keeps its arguments; give none';
  if (!existsSync(file)) return `there is no state or recording ${file}`;
  if (isPackedFile(file)) return `${file} is a packed recording; unpack it first: turntable unpack ${file}`;
  if (file.endsWith('.tts'))
    return `a snapshot needs its recording: turntable restore ${dirname(dirname(file))} --phase ${Number.parseInt(basename(file))}`;
  const option = (['phase', 'code'] as const).find((each) => values[each] !== undefined);
  return option !== undefined && statSync(file).isFile()
    ? `--${option} is for recordings, but ${file} is a state`
    : undefined;
}

function optionProblem({ phase, code, root, yes, trusted }: OptionValues): string | undefined {
  if (phase !== undefined && !/^\d+$/.test(phase)) return `--phase must be the number of a snapshot, not "${phase}"`;
  if (code !== undefined && code !== 'files' && code !== 'recorded')
    return `--code must be "files" or "recorded", not "${code}"`;
  if (root !== undefined && !isDirectory(root)) return `--root must be a directory, not "${root}"`;
  if (yes !== undefined && !/^[0-9a-f]{64}$/.test(yes))
    return `--yes must be the hash that turntable restore prints where there is no terminal, not "${yes}"`;
  if (trusted) return `--trusted takes no value, not "${trusted}"`;
  if (trusted !== undefined && yes !== undefined) return 'give --yes or --trusted, not both';
  return undefined;
}

/** Splits the command's options from the arguments; options may come before or after the file. */
function splitOptions(args: readonly string[]): { values: OptionValues; remaining: string[] } {
  const values: Record<string, string> = {};
  const remaining: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const [arg = ''] = args.slice(i);
    const option = OPTIONS.find(({ flag }) => arg === `--${flag}` || arg.startsWith(`--${flag}=`));
    if (option === undefined) remaining.push(arg);
    else if (arg.includes('=')) values[option.flag] = arg.slice(arg.indexOf('=') + 1);
    else values[option.flag] = option.argument === undefined ? '' : (args[++i] ?? '');
  }
  return { values, remaining };
}
