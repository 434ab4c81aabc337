// An editor: `turntable dap` in a child process, and a client of it.
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';
import { DapClient } from './dap-client.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const env = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' };

/** As most editors send them. */
export const INITIALIZE_ARGUMENTS = {
  adapterID: 'turntable',
  linesStartAt1: true,
  columnsStartAt1: true,
  pathFormat: 'path',
};

/** Starts an adapter on standard input and output. */
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

/** Starts an adapter on a port. */
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

/** Starts a command that runs until the test ends and returns its first line of output. */
export async function firstOutputLine(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [...FLAGS, CLI, ...args], { stdio: ['ignore', 'pipe', 'inherit'], env });
  onTestFinished(() => void child.kill('SIGKILL'));
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('close', (code) => reject(new Error(`${args[0]} exited with ${code}`)));
  });
}

/** Initializes a session and opens a recording. */
export async function initializeSession(
  client: DapClient,
  request: 'launch' | 'attach',
  requestArguments: object,
): Promise<void> {
  await client.request('initialize', INITIALIZE_ARGUMENTS);
  await client.request(request, requestArguments);
  await client.nextEvent('initialized');
}

/**
 * All messages in a form that is the same on every machine: without times and sequence numbers, and with the workspace
 * as root. Output events are left out, since they come at varying points.
 */
export function transcript(client: DapClient): string {
  const lines = client.log.lines
    .filter((line) => !line.includes('"event":"output"'))
    .map((line) =>
      line
        .replaceAll(ROOT, '/')
        .replace(/^<- \{"seq":\d+,/, '<- {')
        .replaceAll(/"time":[\d.]+/g, '"time":0')
        // Versions of V8 differ in how often sorting calls back.
        .replaceAll(/"statementLists":\d+/g, '"statementLists":0')
        .replaceAll(/"recording":"[^"]*"/g, '"recording":"recordings"'),
    );
  return `${lines.join('\n')}\n`;
}
