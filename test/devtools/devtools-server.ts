// `turntable devtools` in a separate process, and clients for it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';
import { record } from '../replay/record-and-replay.ts';
import { CdpClient } from './cdp-client.ts';

const ROOT = new URL('../../', import.meta.url).href;

export interface DevToolsServer {
  readonly socket: string;
  readonly frontEnd: string;
  readonly printed: string;
  readonly stop: () => Promise<void>;
}

/** Starts a server. @param recordings a directory of recordings, or arguments */
export async function startDevTools(
  recordings: string | readonly string[],
  extraEnv: NodeJS.ProcessEnv = {},
): Promise<DevToolsServer> {
  const env = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', ...extraEnv };
  const child = spawn(process.execPath, [...FLAGS, CLI, 'devtools', ...[recordings].flat()], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
  const closed = once(child, 'close');
  let printed = '';
  for await (const line of createInterface({ input: child.stdout })) {
    printed += `${line}\n`;
    if (line.endsWith('Press Ctrl+C to stop.')) break;
  }
  const [frontEnd] = /devtools:\S+/.exec(printed) ?? [];
  const [socket] = /ws:\S+/.exec(printed) ?? [];
  if (frontEnd === undefined || socket === undefined) throw new Error('turntable devtools printed no address');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await closed;
  };
  return { printed, frontEnd, socket, stop };
}

/** Connects a client for the duration of the test. */
export async function connect(socket: string): Promise<CdpClient> {
  const client = await CdpClient.connect(socket);
  onTestFinished(() => client.close());
  return client;
}

export interface RecordedServer {
  readonly socket: () => string;
  /** Connects a client and moves to the start of the recording. */
  readonly clientAtStart: () => Promise<CdpClient>;
}

/** Records a program and serves the recording for the tests of a file. @param flags of the server */
export function serveRecorded(program: string, flags: readonly string[] = []): RecordedServer {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
  let server: DevToolsServer | undefined;
  beforeAll(async () => {
    record(directory, [program]);
    server = await startDevTools([directory, ...flags]);
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const socket = (): string => server?.socket ?? '';
  const clientAtStart = async (): Promise<CdpClient> => {
    const client = await connect(socket());
    await client.enable();
    await client.runToPause('TimeTravel.move', { move: 'goto', arguments: { target: 'start' } });
    return client;
  };
  return { socket, clientAtStart };
}

/**
 * All messages in both directions, normalised: no times, and paths relative to the workspace. Program output is left out,
 * because it arrives at any time.
 */
export function transcript(client: CdpClient): string {
  const lines = client.log.lines
    .filter((line) => !line.includes('"method":"Runtime.consoleAPICalled"'))
    .map((line) =>
      line
        .replaceAll(ROOT, 'file:///')
        .replaceAll(/file:\/\/\/[^"]*node_modules\//g, 'file:///node_modules/')
        .replaceAll(/"time":[\d.]+/g, '"time":0')
        // Versions of V8 differ in the number of callbacks of a sort.
        .replaceAll(/"statementLists":\d+/g, '"statementLists":0')
        .replaceAll(/"debuggerId":"\w+"/g, '"debuggerId":"…"')
        .replaceAll(/"origin":"","name":"[^"]*"/g, '"origin":"","name":"recordings"')
        .replaceAll(/"hash":"\w+"/g, '"hash":"…"'),
    );
  return `${lines.join('\n')}\n`;
}
