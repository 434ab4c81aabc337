// How each server is attacked, and how a valid client checks that it still answers correctly.
import { connect, type Socket } from 'node:net';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { once } from 'node:events';
import { Client } from '@turntable/time-machine/client';
import { callService } from '@turntable/recording/services';
import { CART_PATH } from '../../packages/time-machine/test/scripted-server.ts';
import { lineWire } from '../../packages/time-machine/src/protocol/line-wire.ts';
import { CdpClient } from '../devtools/cdp-client.ts';
import { DapClient } from '../dap/dap-client.ts';
import { upgradeRequest, type MalformedMessages } from './malformed-messages.ts';
import type { ServerName } from './server-names.ts';

export interface AttackedServer {
  /** Valid messages, which an attack damages. */
  readonly valid: readonly object[];
  /** Maximum number of messages of one connection. A malformed one may close it, and the others are not read. */
  readonly messagesPerConnection: number;
  /** The bytes of one connection with a number of malformed messages. */
  attack(messages: MalformedMessages, address: string, count: number): Buffer;
  connect(address: string): Socket;
  /** Rejects if a valid client is not served. */
  serveValidClient(address: string): Promise<void>;
}

const hello = { jsonrpc: '2.0', id: 1, method: 'hello', params: { version: 2, client: 'x' } };
const rpc = (method: string, params: object): object => ({ jsonrpc: '2.0', id: 7, method, params });
const TIME_MACHINE_MESSAGES = [
  hello,
  rpc('cursor', {}),
  rpc('move', { move: 'step', direction: 'backward', count: 3 }),
  rpc('move', { move: 'match', arguments: { actor: 'Cart*', method: 'add' } }),
  rpc('tasks', { from: 1, count: 10, actor: 'Cart*' }),
  rpc('events', { kinds: ['stdout', 'caught'], from: 1, count: 5, text: 'a*' }),
  rpc('evaluate', { expression: 'sum + 1' }),
  rpc('source', { file: CART_PATH }),
  rpc('difference', { from: '1.1', count: 5 }),
  rpc('setBreakpoints', { breakpoints: [{ kind: 'line', file: CART_PATH, line: 4, condition: 'sum > 1' }] }),
  { jsonrpc: '2.0', method: 'cancel', params: { id: 7 } },
];

const cdp = (method: string, params: object = {}): object => ({ id: 7, method, params });
const CDP_MESSAGES = [
  cdp('Runtime.enable'),
  cdp('Debugger.enable'),
  cdp('Debugger.stepOver'),
  cdp('Debugger.setBreakpointByUrl', { lineNumber: 4, urlRegex: '(a+)+$', condition: 'sum > 1' }),
  cdp('Debugger.evaluateOnCallFrame', { callFrameId: '0.1.0', expression: 'sum' }),
  cdp('Runtime.evaluate', { expression: 'TimeTravel.goto("0.1")', includeCommandLineAPI: true }),
  cdp('Runtime.getProperties', { objectId: '1', ownProperties: true }),
  cdp('Runtime.callFunctionOn', { functionDeclaration: 'function () {}', objectId: '1', arguments: [{ value: [1] }] }),
  cdp('TimeTravel.move', { move: 'step', direction: 'backward' }),
  cdp('TimeTravel.ask', { method: 'tasks', params: { from: 1, count: 3 } }),
];

const dap = (command: string, args: object = {}): object => ({ seq: 7, type: 'request', command, arguments: args });
const DAP_INITIALIZE = { adapterID: 'turntable', linesStartAt1: true, columnsStartAt1: true, pathFormat: 'path' };
const DAP_LAUNCH = { recording: 'cart', token: 'token' };
const DAP_MESSAGES = [
  dap('initialize', DAP_INITIALIZE),
  dap('launch', DAP_LAUNCH),
  dap('attach', { port: 1, secret: 'x', token: 'token' }),
  dap('setBreakpoints', { source: { path: CART_PATH }, breakpoints: [{ line: 4, condition: 'sum > 1' }] }),
  dap('configurationDone'),
  dap('stackTrace', { threadId: 1, startFrame: 0, levels: 20 }),
  dap('variables', { variablesReference: 1, start: 0, count: 10 }),
  dap('evaluate', { expression: 'sum', frameId: 1, context: 'repl' }),
  dap('stepBack', { threadId: 1, granularity: 'line' }),
  dap('turntable/move', { move: 'sender' }),
  { seq: 8, type: 'response', request_seq: 3, success: true, command: 'runInTerminal' },
];

const START_PAGE_MESSAGES = [
  { path: 'recordings' },
  { path: '/nowhere/a.ttr', isForced: true },
  { path: '/dev/zero' },
  { pid: 4711, request: 'snapshot' },
];

const CONTROL_MESSAGES = [
  { jsonrpc: '2.0', id: 1, method: 'status' },
  { jsonrpc: '2.0', id: 2, method: 'flush', params: {} },
  { jsonrpc: '2.0', id: 3, method: 'snapshot' },
];

const LINE_END = Buffer.from('\n');

/** Bytes of a connection with several messages. @param count number of messages */
function join(count: number, next: (i: number) => Buffer): Buffer {
  return Buffer.concat(Array.from({ length: count }, (_, i) => next(i)));
}

/** An attack at a WebSocket: one HTTP request, or several frames after a valid start. @param start valid first messages */
function webSocketAttack(start: readonly object[], paths: (secret: string) => readonly string[]) {
  return (messages: MalformedMessages, address: string, count: number): Buffer => {
    const { host, pathname } = new URL(address);
    const path = messages.pick([pathname, ...paths(pathname)]);
    if (count === 1) return messages.httpRequest(host, path, messages.text());
    const framed = (text: Buffer): Buffer => messages.webSocketFrame(text);
    const opening = start.map((each) => framed(Buffer.from(JSON.stringify(each))));
    return Buffer.concat([upgradeRequest(address), ...opening, join(count, () => framed(messages.text()))]);
  };
}

/** An attack with lines. @param start valid first messages */
function lineAttack(start: readonly object[]) {
  return (messages: MalformedMessages, _: string, count: number): Buffer => {
    const opening = start.map((each) => Buffer.from(`${JSON.stringify(each)}\n`));
    const line = (): Buffer => Buffer.concat([messages.text(), LINE_END]);
    return Buffer.concat([...opening, join(count, line), messages.noise(50)]);
  };
}

const connectPort = (port: string): Socket => connect(Number(port), '127.0.0.1');
const connectAddress = (address: string): Socket => connectPort(new URL(address).port);

async function checkTimeMachine(client: Client): Promise<void> {
  const { taskCount } = await client.hello('valid');
  const { tasks } = await client.request('tasks', { from: 1, count: 10 });
  if (tasks.length !== taskCount) throw new Error(`${tasks.length} tasks were listed, not ${taskCount}`);
  client.close();
}

export const ATTACKED_SERVERS: Readonly<Record<ServerName, AttackedServer>> = {
  'time-machine': {
    valid: TIME_MACHINE_MESSAGES,
    messagesPerConnection: 5,
    attack: webSocketAttack([hello], () => ['/']),
    connect: connectAddress,
    serveValidClient: async (address) => checkTimeMachine(await Client.connect(address)),
  },
  'time-machine-lines': {
    valid: TIME_MACHINE_MESSAGES,
    messagesPerConnection: 5,
    attack: lineAttack([hello]),
    connect: connectPort,
    serveValidClient: async (address) => {
      const socket = connectPort(address);
      await checkTimeMachine(new Client(lineWire(socket, socket)));
    },
  },
  devtools: {
    valid: CDP_MESSAGES,
    messagesPerConnection: 5,
    attack: webSocketAttack(CDP_MESSAGES.slice(0, 2), (secret) => [`${secret}/json/list`, '/json/list']),
    connect: connectAddress,
    serveValidClient: async (address) => {
      const client = await CdpClient.connect(address);
      await client.enable();
      const { result } = await client.request<{ result: { value: number } }>('Runtime.evaluate', { expression: '1' });
      if (typeof result !== 'object') throw new Error('1 was not evaluated');
      client.close();
      await client.closed;
    },
  },
  dap: {
    valid: DAP_MESSAGES,
    messagesPerConnection: 5,
    attack: (messages, _, count) => {
      const start = messages.pick([DAP_MESSAGES.slice(0, 2), DAP_MESSAGES.slice(0, 1), []]);
      const frame = (text: Buffer): Buffer => messages.dapFrame(text);
      const opening = start.map((each) => frame(Buffer.from(JSON.stringify(each))));
      return Buffer.concat([...opening, join(count, () => frame(messages.text())), messages.noise(50)]);
    },
    connect: connectPort,
    serveValidClient: async (address) => {
      const socket = connectPort(address);
      const client = new DapClient(socket, socket);
      await client.request('initialize', DAP_INITIALIZE);
      await client.request('launch', DAP_LAUNCH);
      await client.nextEvent('initialized');
      await client.request('configurationDone');
      await client.nextStop();
      await client.request('disconnect');
      await client.closed;
    },
  },
  'start-page': {
    valid: START_PAGE_MESSAGES,
    messagesPerConnection: 2,
    attack: (messages, address, count) => {
      const { host, origin, hash } = new URL(address);
      const headers = [`Origin: ${origin}`, `Authorization: Bearer ${hash.slice(1)}`];
      return join(count, () => {
        const path = messages.pick(['/offers', '/open', '/forget', '/services', '/ask', '/look']);
        const body = messages.text();
        if (messages.below(2) === 0) return messages.httpRequest(host, path, body, headers);
        const lines = [`POST ${path} HTTP/1.1`, `Host: ${host}`, ...headers, `Content-Length: ${body.length}`];
        return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]);
      });
    },
    connect: connectAddress,
    serveValidClient: async (address) => {
      const { origin, hash, port } = new URL(address);
      const body = '{}';
      const headers = { origin, authorization: `Bearer ${hash.slice(1)}`, 'content-length': body.length };
      const outgoing = request({ host: '127.0.0.1', port, path: '/offers', method: 'POST', headers, agent: false });
      outgoing.end(body);
      const [response] = (await once(outgoing, 'response')) as [NodeJS.ReadableStream];
      const offers = (await json(response)) as { recent?: unknown };
      if (!Array.isArray(offers.recent)) throw new Error('the start page got no list of recordings');
    },
  },
  control: {
    valid: CONTROL_MESSAGES,
    messagesPerConnection: 10,
    attack: lineAttack([]),
    connect: (path) => connect(path),
    serveValidClient: async (path) => {
      const { method } = (await callService(path, 'status')) as unknown as { method: string };
      if (method !== 'status') throw new Error(`the control socket answered ${method}`);
    },
  },
};
