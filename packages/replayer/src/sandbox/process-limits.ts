// Limits on the processes in namespaces: recorded code must not use up the machine's memory or processes. Processor
// time has no limit, because recorded programs run for any time.
import { release, totalmem } from 'node:os';
import { formatSize } from '../output/wording.ts';

export interface ProcessLimits {
  /** Bytes that each process may use. */
  readonly memory: number;
  /** Number of processes and threads in one sandbox. */
  readonly tasks: number;
}

const MAX_TASKS = 4096;
/** Part of the machine's memory that each process may use. */
const MEMORY_PART = 0.75;
/** Memory that V8 reserves for the code of a thread, nearly all unused. The kernel counts it. */
const RESERVED_BYTES = 0.6e9;
/** Maximum number of recorded threads for which the limit is raised, because a manifest is untrusted. */
const MAX_RECORDED_THREADS = 64;
const MIN_USED_BYTES = 1e9;
/** When memory is short, the kernel ends processes in the sandbox first. */
const OOM_SCORE_ADJUSTMENT = 500;

/** The limits on this machine, or in this container. @param threads number of threads of the recorded process */
export function machineLimits(threads = 1): ProcessLimits {
  const available = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  const reserved = RESERVED_BYTES * Math.min(threads, MAX_RECORDED_THREADS);
  return { memory: Math.max(Math.floor(available * MEMORY_PART), MIN_USED_BYTES + reserved), tasks: MAX_TASKS };
}

/** Shell commands that limit the memory of the shell and of each process that it starts. */
export function memoryLimitCommands({ memory }: ProcessLimits): string {
  return `{
  echo ${OOM_SCORE_ADJUSTMENT} >/proc/self/oom_score_adj || :
  ulimit -d ${Math.floor(memory / 1024)} || :
} 2>/dev/null`;
}

/**
 * Shell commands that limit the number of processes in the user namespace of the shell. The kernel does not apply this
 * to root. Shells name the option differently.
 */
export function taskLimitCommands({ tasks }: ProcessLimits): string {
  return `ulimit -u ${tasks} 2>/dev/null || ulimit -p ${tasks} 2>/dev/null || :`;
}

/**
 * Shell commands that limit the number of processes in the process namespace of the shell, also for root. Before Linux
 * 6.14, the setting was that of the machine.
 */
export function namespaceLimitCommands({ tasks }: ProcessLimits): string {
  return hasNamespaceLimit() ? `echo ${tasks} >/proc/sys/kernel/pid_max` : '';
}

/** Whether the number of processes is limited for root. */
export function hasNamespaceLimit(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return major > 6 || (major === 6 && minor >= 14);
}

/** How processes end that reach a limit: V8 aborts, traps or crashes, or the kernel ends them for lack of memory. */
const LIMIT_EXIT_CODES: ReadonlySet<number | null> = new Set([132, 133, 134, 137, 139]);

/** Names the limits if a process may have ended because of them; otherwise empty. */
export function reachedLimitText(exitCode: number | null, limits: ProcessLimits | undefined): string {
  if (limits === undefined || !LIMIT_EXIT_CODES.has(exitCode)) return '';
  const { memory, tasks } = limits;
  return `; perhaps it reached a limit of the sandbox, ${formatSize(memory)} of memory or ${tasks} processes and threads; --trusted replays without limits`;
}
