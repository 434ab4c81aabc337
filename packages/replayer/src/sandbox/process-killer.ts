// Kills a process in the sandbox. The first process in the namespace is killed as well, and with it all others: it ends
// with the process that started it only once it has asked the kernel for that.
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';

/** File descriptor on which the program that makes the namespaces reports the first process in them. */
export const INFO_DESCRIPTOR = 5;

/** Returns a function that kills the process, at any time. @param child may also be a process without a sandbox */
export function processKiller(child: ChildProcess): () => void {
  const info = (child.stdio as readonly unknown[])[INFO_DESCRIPTOR] as Readable | null | undefined;
  if (info === undefined || info === null) return () => void child.kill('SIGKILL');
  let infoText = '';
  let isKilled = false;
  const kill = (): void => {
    const [, pid] = /"child-pid": (\d+)/.exec(infoText) ?? [];
    // Until the first process has been reported, the program must not be killed alone.
    if (pid === undefined && !info.readableEnded) return;
    if (pid !== undefined) killIfRunning(Number(pid));
    child.kill('SIGKILL');
  };
  info.setEncoding('utf8').on('data', (text: string) => {
    infoText += text;
    if (isKilled) kill();
  });
  info.on('end', () => {
    if (isKilled) kill();
  });
  return () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    isKilled = true;
    kill();
  };
}

function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
