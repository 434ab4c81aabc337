// This process becomes another image of Node: same process, parent, standard streams and command line, everything else anew. Threads, sockets, timers
// and callbacks of before are gone with the memory they were in, which nothing else could promise of a V8 isolate with native code in it.
import { accessSync, constants } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { isatty } from 'node:tty';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { programFileUrl } from '../program-file.ts';

export interface ProcessImage {
  readonly execPath: string;
  readonly argv0: string;
  /** Flags of Node's, an entry point and its arguments. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** Milliseconds that threads have to stop, the disk to take what is on its way to it, readers to read what was written. */
export const SHUTDOWN_TIMEOUT_MS = 2000;

const { setTimeout: nativeSetTimeout, clearTimeout: nativeClearTimeout } = globalThis;

/** Why this process cannot become another image, and what to do. */
export function imageProblem(): string | undefined {
  const { permission } = process as { permission?: { has(scope: string): boolean } };
  if (!isMainThread) return 'a worker cannot do that for its process';
  if (process.execve === undefined || process.platform === 'win32')
    return `${process.platform} cannot put another program in the place of a process; end it and start turntable restore`;
  if (permission !== undefined && !permission.has('child'))
    return 'the permission model forbids it; allow it with --allow-child-process';
  return undefined;
}

/** Fails, where otherwise the process would be ended, if there is no such program or directory any more. */
export function requireImagePaths({ execPath, cwd }: Pick<ProcessImage, 'execPath' | 'cwd'>): void {
  accessSync(execPath, constants.X_OK);
  accessSync(cwd, constants.X_OK);
}

/** What was written to standard output and error is out, or so many milliseconds have passed: who reads them may have stopped to. */
export async function flushOutput(timeoutMs: number): Promise<void> {
  const streams = [process.stdout, process.stderr].map(
    (stream) => new Promise<unknown>((resolve) => (stream.writable ? stream.write('', resolve) : resolve(undefined))),
  );
  await waitAtMost(timeoutMs, Promise.all(streams));
}

/** It has been waited for, or so many milliseconds have passed. */
export async function waitAtMost(timeoutMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => (timer = nativeSetTimeout(resolve, timeoutMs)));
  await Promise.race([work, timeout]);
  nativeClearTimeout(timer);
}

/** At once: no listener of `exit` is called. */
export function execImage({ execPath, argv0, args, env, cwd }: ProcessImage): never {
  // The terminal outlives us.
  if (isatty(0) && process.stdin.isRaw) process.stdin.setRawMode(false);
  process.chdir(cwd);
  // Node keeps what it has compiled when a process ends, and this one does not.
  flushCompileCache();
  process.execve?.(execPath, [argv0, ...args], env);
  throw new Error('process.execve is gone');
}

/** What an image runs that goes on from a snapshot. */
export function resumeFile(): string {
  return fileURLToPath(programFileUrl('resume'));
}

/** Of flags of Node's, those that do not say what to run. */
export function withoutEvalFlags(flags: readonly string[]): string[] {
  return flags.filter((flag, i) => !EVAL_FLAG.test(flag) && !/^(-e|--eval|-p|-pe|--print)$/.test(flags[i - 1] ?? ''));
}
const EVAL_FLAG = /^(-e|--eval|-p|-pe|--print|-i|--interactive|--eval=.*|--print=.*)$/s;
