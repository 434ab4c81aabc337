// Replaces the image of this process by a new one of Node, with the same process id, parent, standard streams and
// command line. Threads, sockets, timers and callbacks vanish with the old memory, in native code too.
import { accessSync, constants } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { isatty } from 'node:tty';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { programFileUrl } from '../program-file.ts';

export interface ProcessImage {
  readonly execPath: string;
  readonly argv0: string;
  /** Node's flags, entry point and arguments. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** Timeout for each step of a shutdown: stopping threads, writing to the disk, flushing the output. */
export const SHUTDOWN_TIMEOUT_MS = 2000;

const { setTimeout: nativeSetTimeout, clearTimeout: nativeClearTimeout } = globalThis;

/** The reason why this process cannot replace its image, with the remedy; undefined if it can. */
export function imageProblem(): string | undefined {
  const { permission } = process as { permission?: { has(scope: string): boolean } };
  if (!isMainThread) return 'a worker thread cannot replace its process; call it on the main thread';
  if (process.execve === undefined || process.platform === 'win32')
    return `${process.platform} cannot replace the program of a process; end it and run turntable restore`;
  if (permission !== undefined && !permission.has('child'))
    return 'the permission model forbids it; allow it with --allow-child-process';
  return undefined;
}

/** @throws if the executable or the directory no longer exists, since `execve` would then end the process */
export function requireImagePaths({ execPath, cwd }: Pick<ProcessImage, 'execPath' | 'cwd'>): void {
  accessSync(execPath, constants.X_OK);
  accessSync(cwd, constants.X_OK);
}

/** Resolves when standard output and error are flushed, or after the timeout, because their reader may have stopped. */
export async function flushOutput(timeoutMs: number): Promise<void> {
  const streams = [process.stdout, process.stderr].map(
    (stream) => new Promise<unknown>((resolve) => (stream.writable ? stream.write('', resolve) : resolve(undefined))),
  );
  await waitAtMost(timeoutMs, Promise.all(streams));
}

export async function waitAtMost(timeoutMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => (timer = nativeSetTimeout(resolve, timeoutMs)));
  await Promise.race([work, timeout]);
  nativeClearTimeout(timer);
}

/** Replaces the process image at once, without calling `exit` listeners. */
export function execImage({ execPath, argv0, args, env, cwd }: ProcessImage): never {
  // The new image would inherit the raw mode of the terminal.
  if (isatty(0) && process.stdin.isRaw) process.stdin.setRawMode(false);
  process.chdir(cwd);
  // Node writes its compile cache only at a normal end of the process.
  flushCompileCache();
  process.execve?.(execPath, [argv0, ...args], env);
  throw new Error('process.execve does not exist');
}

/** Entry file of a process that resumes from a snapshot. */
export function resumeFile(): string {
  return fileURLToPath(programFileUrl('resume'));
}

/** Node's flags without `--eval`, `--interactive` and their variants, which would run another program. */
export function withoutEvalFlags(flags: readonly string[]): string[] {
  return flags.filter((flag, i) => !EVAL_FLAG.test(flag) && !/^(-e|--eval|-p|-pe|--print)$/.test(flags[i - 1] ?? ''));
}
const EVAL_FLAG = /^(-e|--eval|-p|-pe|--print|-i|--interactive|--eval=.*|--print=.*)$/s;
