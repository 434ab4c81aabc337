// An editor: `turntable dap` in a process of its own, and a client of it.
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';
import { DapClient } from './dap-client.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const env = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' };

/** Like most of them. */
export const INITIALIZE_ARGUMENTS = {
  adapterID: 'turntable',
  linesStartAt1: true,
  columnsStartAt1: true,
  pathFormat: 'path',
};

/** By standard input and output. */
export function startEditor(extraEnv: NodeJS.ProcessEnv = {}): DapClient {
  const child = spawn(process.execPath, [...FLAGS, CLI, 'dap'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...env, ...extraEnv },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return new DapClient(child.stdout, child.stdin);
}

export interface DapPortInfo {
  readonly port: number;
  readonly token: string;
  connect(): DapClient;
}

/** At a port. */
export async function startDapPort(): Promise<DapPortInfo> {
  const line = await firstOutputLine(['dap', '--port', '0']);
  const [port = '', token = ''] = line.split(' ');
  return {
    port: Number(port),
    token,
    connect: () => {
      const socket = connect(Number(port), '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      return new DapClient(socket, socket);
    },
  };
}

/** What a command says first that goes on until the test is over. */
export async function firstOutputLine(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [...FLAGS, CLI, ...args], { stdio: ['ignore', 'pipe', 'inherit'], env });
  onTestFinished(() => void child.kill('SIGKILL'));
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('close', (code) => reject(new Error(`${args[0]} ended with ${code}`)));
  });
}

/** Greets and opens something, with breakpoints at lines of one file: where all stand then. */
export async function initializeSession(
  client: DapClient,
  request: 'launch' | 'attach',
  requestArguments: object,
): Promise<void> {
  await client.request('initialize', INITIALIZE_ARGUMENTS);
  await client.request(request, requestArguments);
  await client.nextEvent('initialized');
}

/** What went both ways, as it is anywhere: without times and numbers of messages, with the workspace at the root. What the program has printed comes when it is known. */
export function transcript(client: DapClient): string {
  const lines = client.log.lines
    .filter((line) => !line.includes('"event":"output"'))
    .map((line) =>
      line
        .replaceAll(ROOT, '/')
        .replace(/^<- \{"seq":\d+,/, '<- {')
        .replaceAll(/"time":[\d.]+/g, '"time":0')
        // A version of V8 calls back more often than another one, when it sorts.
        .replaceAll(/"statementLists":\d+/g, '"statementLists":0')
        .replaceAll(/"recording":"[^"]*"/g, '"recording":"recordings"'),
    );
  return `${lines.join('\n')}\n`;
}
