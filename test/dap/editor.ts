// An editor: `turntable dap` in a process of its own, and a client of it.
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { CLI, FLAGS } from '../../scripts/tested.ts';
import { WireClient } from './wire-client.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const env = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' };

/** Like most of them. */
export const HELLO = { adapterID: 'turntable', linesStartAt1: true, columnsStartAt1: true, pathFormat: 'path' };

/** By standard input and output. */
export function editor(more: NodeJS.ProcessEnv = {}): WireClient {
  const child = spawn(process.execPath, [...FLAGS, CLI, 'dap'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...env, ...more },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return new WireClient(child.stdout, child.stdin);
}

export interface Port {
  readonly port: number;
  readonly token: string;
  connect(): WireClient;
}

/** At a port. */
export async function dapPort(): Promise<Port> {
  const line = await firstLineOf(['dap', '--port', '0']);
  const [port = '', token = ''] = line.split(' ');
  return {
    port: Number(port),
    token,
    connect: () => {
      const socket = connect(Number(port), '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      return new WireClient(socket, socket);
    },
  };
}

/** What a command says first that goes on until the test is over. */
export async function firstLineOf(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [...FLAGS, CLI, ...args], { stdio: ['ignore', 'pipe', 'inherit'], env });
  onTestFinished(() => void child.kill('SIGKILL'));
  return new Promise((settle, reject) => {
    createInterface({ input: child.stdout }).once('line', settle);
    child.once('close', (code) => reject(new Error(`${args[0]} ended with ${code}`)));
  });
}

/** Greets and opens something, with breakpoints at lines of one file: where all stand then. */
export async function opened(client: WireClient, request: 'launch' | 'attach', its: object): Promise<void> {
  await client.request('initialize', HELLO);
  await client.request(request, its);
  await client.event('initialized');
}

/** What went both ways, as it is anywhere: without times and numbers of messages, with the workspace at the root. What the program has printed comes when it is known. */
export function transcript(client: WireClient): string {
  const lines = client.talk.lines
    .filter((line) => !line.includes('"event":"output"'))
    .map((line) =>
      line
        .replaceAll(ROOT, '/')
        .replace(/^<- \{"seq":\d+,/, '<- {')
        .replaceAll(/"time":[\d.]+/g, '"time":0')
        // A version of V8 calls back more often than another one, when it sorts.
        .replaceAll(/"lists":\d+/g, '"lists":0')
        .replaceAll(/"recording":"[^"]*"/g, '"recording":"recordings"'),
    );
  return `${lines.join('\n')}\n`;
}
