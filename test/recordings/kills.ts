// Kills a service under load at a random moment, and compares the acknowledged requests with the recorded ones.
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { listRecordings, openRecording } from '@turntable/recording';
import { CLI, FLAGS, REGISTER } from '../../scripts/tested-form.ts';
import { environment, REPOSITORY } from './processes.ts';

const SERVICE = fileURLToPath(new URL('fixtures/killed/service.ts', import.meta.url));

export interface KillOptions {
  /** Directory for the recording. */
  readonly recordings: string;
  /** When the process is killed: milliseconds after its first statement, or after its first answer. */
  readonly killAfterMs: number;
  readonly since: 'first-statement' | 'first-answer';
  readonly requestsPerSecond?: number;
  readonly env?: NodeJS.ProcessEnv;
}

export interface KillResult {
  readonly recording: string;
  /** Acknowledged requests, in the order in which the service answered them. */
  readonly acknowledged: readonly string[];
  /** Acknowledged requests that are not in the recording. */
  readonly lost: readonly string[];
  /** Age of the oldest lost request at the kill. */
  readonly oldestLossMs: number;
  /** Response times of all requests. */
  readonly latenciesMs: readonly number[];
  /** Peak memory of the service; undefined where the operating system does not tell. */
  readonly peakMb: number | undefined;
  readonly replay: { readonly status: number | null; readonly stdout: string; readonly stderr: string };
}

/** Records the service, kills it, opens and replays its recording. Throws if the recording cannot be opened. */
export async function killService(options: KillOptions): Promise<KillResult> {
  const { recordings, killAfterMs, since, requestsPerSecond = 400, env = {} } = options;
  const child = fork(SERVICE, [], {
    execArgv: [...FLAGS, '--import', REGISTER],
    env: { ...environment, TURNTABLE_TRACE: '1', TURNTABLE_RECORDINGS: recordings, ...env },
    cwd: REPOSITORY,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const ended = once(child, 'exit');
  const acknowledgedAt = new Map<string, number>();
  const order = new Map<string, number>();
  const latenciesMs: number[] = [];
  let killedAt = 0;
  let peakMb: number | undefined;
  const kill = (): void => {
    peakMb = peakMemoryMb(child.pid);
    killedAt = performance.now();
    child.kill('SIGKILL');
  };
  let isOver = false;
  void ended.then(() => (isOver = true));
  child.once('message', () => {
    if (since === 'first-statement') setTimeout(kill, killAfterMs);
  });
  child.on('message', ({ port }: { port?: number }) => {
    if (port === undefined) return;
    let count = 0;
    const startedAt = performance.now();
    const send = (): void => {
      if (isOver) return;
      // As many as are due by now, because timers may be late.
      while (count < ((performance.now() - startedAt) * requestsPerSecond) / 1000) {
        const id = String(count++);
        const sentAt = performance.now();
        get({ host: '127.0.0.1', port, path: `/?id=${id}` }, (response) => {
          void text(response).then(
            (body) => {
              const now = performance.now();
              if (acknowledgedAt.size === 0 && since === 'first-answer') setTimeout(kill, killAfterMs);
              acknowledgedAt.set(id, now);
              order.set(id, (JSON.parse(body) as { answered: number }).answered);
              latenciesMs.push(now - sentAt);
            },
            () => undefined,
          );
        }).on('error', () => undefined);
      }
      setTimeout(send, 1);
    };
    send();
  });
  await ended;
  const recording = listRecordings(recordings).at(-1)?.directory;
  if (recording === undefined) throw new Error('the service ended before its recording was created');
  openRecording(recording);
  const { status, stdout, stderr } = spawnSync(process.execPath, [...FLAGS, CLI, 'replay', recording], {
    cwd: REPOSITORY,
    encoding: 'utf8',
    env: environment,
  });
  const replayed = new Set(stdout.match(/^\d+/gm));
  const acknowledged = [...acknowledgedAt.keys()].toSorted(
    (first, second) => (order.get(first) ?? 0) - (order.get(second) ?? 0),
  );
  const lost = acknowledged.filter((id) => !replayed.has(id));
  const oldestLossMs = Math.max(0, ...lost.map((id) => killedAt - (acknowledgedAt.get(id) ?? killedAt)));
  return {
    recording,
    acknowledged,
    lost,
    oldestLossMs,
    latenciesMs,
    peakMb,
    replay: { status, stdout, stderr },
  };
}

/** Peak memory of a process, on Linux. */
export function peakMemoryMb(pid: number | undefined): number | undefined {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
  } catch {
    return undefined;
  }
}
