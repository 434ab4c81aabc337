// Kills a service under load at a random moment, with the requests that it has acknowledged until then.
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { listRecordings } from '@turntable/recording';
import { startRecorded } from './processes.ts';

export interface KillOptions {
  /** Directory for the recording. */
  readonly recordings: string;
  /** When the process is killed: milliseconds after its first statement, or after its first answer. */
  readonly killAfterMs: number;
  readonly since: 'first-statement' | 'first-answer';
  readonly requestsPerSecond?: number;
  readonly env?: NodeJS.ProcessEnv;
}

export interface AcknowledgedRequest {
  readonly id: string;
  /** Time from the acknowledgement to the kill. */
  readonly ageMs: number;
}

export interface KilledService {
  readonly recording: string;
  /** In the order in which the service answered them. */
  readonly acknowledged: readonly AcknowledgedRequest[];
  /** Response times of all requests. */
  readonly latenciesMs: readonly number[];
  /** Peak memory of the service; undefined where the operating system does not tell. */
  readonly peakMb: number | undefined;
}

/** Records the service and kills it. */
export async function killService(options: KillOptions): Promise<KilledService> {
  const { recordings, killAfterMs, since, requestsPerSecond = 400, env = {} } = options;
  const { child, ended, stderr } = startRecorded('killed/service.ts', { recordings, env });
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
  if (recording === undefined) throw new Error(`the service ended before its recording was created: ${stderr()}`);
  const acknowledged = [...acknowledgedAt]
    .toSorted(([first], [second]) => (order.get(first) ?? 0) - (order.get(second) ?? 0))
    .map(([id, at]) => ({ id, ageMs: killedAt - at }));
  return { recording, acknowledged, latenciesMs, peakMb };
}

/** Acknowledged requests that are not in the recording. @param output of its replay */
export function lostRequests({ acknowledged }: KilledService, output: string): AcknowledgedRequest[] {
  const replayed = new Set(output.match(/^\d+/gm));
  return acknowledged.filter(({ id }) => !replayed.has(id));
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
