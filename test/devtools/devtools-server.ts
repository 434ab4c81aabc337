// `turntable devtools` in a process of its own, and clients of it.
import { spawn } from 'node:child_process';
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
  readonly stop: () => void;
}

/** Until somebody stops it. @param recordings a directory of recordings, or arguments */
export async function startDevTools(
  recordings: string | readonly string[],
  cli: readonly string[] = [...FLAGS, CLI],
  extraEnv: NodeJS.ProcessEnv = {},
): Promise<DevToolsServer> {
  const env = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', ...extraEnv };
  const child = spawn(process.execPath, [...cli, 'devtools', ...[recordings].flat()], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) if (lines.push(line) === 2) break;
  const [frontEnd, socket] = lines;
  if (frontEnd === undefined || socket === undefined) throw new Error('turntable devtools has told no address');
  return { frontEnd, socket, stop: () => void child.kill('SIGTERM') };
}

/** A client until the test is over. */
export async function connect(socket: string): Promise<CdpClient> {
  const client = await CdpClient.connect(socket);
  onTestFinished(() => client.close());
  return client;
}

export interface RecordedServer {
  readonly socket: () => string;
  /** A client that stands at the beginning, whoever has gone before. */
  readonly clientAtStart: () => Promise<CdpClient>;
}

/** A program that is recorded, and served, for the tests of a file. */
export function serveRecorded(program: string): RecordedServer {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
  let server: DevToolsServer | undefined;
  beforeAll(async () => {
    record(directory, [program]);
    server = await startDevTools(directory);
  });
  afterAll(() => {
    server?.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const socket = (): string => server?.socket ?? '';
  const clientAtStart = async (): Promise<CdpClient> => {
    const client = await connect(socket());
    await client.enable();
    await client.runToPause('TimeTravel.move', { move: 'start' });
    return client;
  };
  return { socket, clientAtStart };
}

/** What went both ways, as it is anywhere: without times, with the workspace at the root. What the program has printed comes when it is known. */
export function transcript(client: CdpClient): string {
  const lines = client.log.lines
    .filter((line) => !line.includes('"method":"Runtime.consoleAPICalled"'))
    .map((line) =>
      line
        .replaceAll(ROOT, 'file:///')
        .replaceAll(/file:\/\/\/[^"]*node_modules\//g, 'file:///node_modules/')
        .replaceAll(/"time":[\d.]+/g, '"time":0')
        // A version of V8 calls back more often than another one, when it sorts.
        .replaceAll(/"statementLists":\d+/g, '"statementLists":0')
        .replaceAll(/"debuggerId":"\w+"/g, '"debuggerId":"…"')
        .replaceAll(/"origin":"","name":"[^"]*"/g, '"origin":"","name":"recordings"')
        .replaceAll(/"hash":"\w+"/g, '"hash":"…"'),
    );
  return `${lines.join('\n')}\n`;
}
