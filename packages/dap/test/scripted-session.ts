// DAP sessions with a recording whose statements and values are written down here, without any process.
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { serveStreams, type DebugEmbedder } from '@turntable/dap';
import { Client } from '@turntable/time-machine/client';
import { TimeMachineServer, type TimeMachineDeps } from '@turntable/time-machine/server';
import { DapClient } from '../../../test/dap/dap-client.ts';
import {
  CART_FILE,
  scriptedRecording,
  type ScriptedTask,
  type ScriptOptions,
} from '../../time-machine/test/scripted-recording.ts';

/** The path of the only file, which is not on disk. */
export const CART_PATH = fileURLToPath(CART_FILE);

/** `sum` calls `add`, whose loop runs twice; then the check fails, and a timer ends the program. */
export const CART_TASKS: readonly ScriptedTask[] = [
  {
    kind: 'evaluation',
    actor: 'main',
    method: '',
    statements: [14, { line: 16, events: [['stdout', 'ready']] }],
    sends: [[1, 'Cart#1', 'add']],
  },
  { statements: [14, ...[4, 5, 4, 5, 4, 7].map((line) => ({ line, depth: 2 })), 16] },
  {
    method: 'check',
    beginsPhase: true,
    statements: [{ line: 10, events: [['caught', 'RangeError: too expensive']] }],
  },
  {
    kind: 'entry',
    actor: 'main',
    method: 'timer',
    statements: [
      { line: 15, events: [['stderr', 'slow']] },
      { line: 16, events: [['device', 'clock.now']] },
    ],
  },
];

export interface SessionOptions extends ScriptOptions {
  readonly tasks?: readonly ScriptedTask[];
  readonly deps?: Partial<TimeMachineDeps>;
  readonly until?: number;
}

/** Arguments of `initialize`, as most editors send them. */
export const INITIALIZE = { adapterID: 'turntable', linesStartAt1: true, columnsStartAt1: true, pathFormat: 'path' };

export function scriptedServer({
  tasks = CART_TASKS,
  deps,
  until,
  ...options
}: SessionOptions = {}): TimeMachineServer {
  const { runIndex, deps: scripted } = scriptedRecording(tasks, options);
  const recording = { name: 'recordings/cart', from: undefined, verdict: 'same', until };
  // A recording lists its files by path, and names them by URL in stacks.
  const nameOf = (file: string): string => (file === CART_PATH ? CART_FILE : file);
  const byPath: Partial<TimeMachineDeps> = {
    sourceFiles: () => [CART_PATH],
    findSource: (file) => scripted.findSource(nameOf(file)),
    findStatements: (file) => scripted.findStatements?.(nameOf(file)),
    findFunctions: (file) => scripted.findFunctions?.(nameOf(file)),
  };
  return new TimeMachineServer(runIndex, recording, '1.2.3', { ...scripted, ...byPath, ...deps });
}

export function connectEditor(embedder: DebugEmbedder): DapClient {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const ended = serveStreams(embedder, { input, output });
  const client = new DapClient(output, input);
  onTestFinished(() => {
    client.end();
    return ended;
  });
  return client;
}

/** An embedder that opens `server` for every recording. */
export function embedderOf(server: TimeMachineServer): DebugEmbedder {
  const refuse = (): Promise<never> => Promise.reject(new Error('there are no programs here'));
  return {
    open: () => Promise.resolve({ client: new Client(server.openWire()), close: () => server.close() }),
    record: refuse,
    recordingPathOf: refuse,
  };
}

/** A session that is launched, but not yet configured: it has not stopped. */
export async function launchCart(
  options: SessionOptions = {},
  { initialize = INITIALIZE, launch = {} }: { readonly initialize?: object; readonly launch?: object } = {},
): Promise<DapClient> {
  const client = connectEditor(embedderOf(scriptedServer(options)));
  await client.request('initialize', initialize);
  await client.request('launch', { recording: 'cart', ...launch });
  await client.nextEvent('initialized');
  return client;
}

/** A session that has stopped at the start of the recording. */
export async function startCart(
  options: SessionOptions = {},
  settings: { readonly initialize?: object; readonly launch?: object } = {},
): Promise<DapClient> {
  const client = await launchCart(options, settings);
  await client.request('configurationDone');
  await client.nextStop();
  return client;
}

/**
 * All messages in a form that is the same on every machine: without sequence numbers and long lists. Output events come
 * at varying points, so they are at the end.
 */
export function transcript(client: DapClient): string {
  const lines = client.log.lines.map((line) =>
    line
      .replace(/^(<-|->) \{"seq":\d+,("type":"\w+",)?/, '$1 {')
      .replace(/"request_seq":\d+,/, '')
      .replace(/"moves":\[.*\],"recording"/, '"moves":[…],"recording"')
      .replace(/"body":\{"supports.*/, '…')
      .replaceAll(/([xy])\1{50,}/g, (run) => `${run[0]}×${run.length}`)
      .replaceAll(/available: [^"]*/g, 'available: …'),
  );
  const isOutput = (line: string): boolean => line.startsWith('<- {"event":"output"');
  return `${[...lines.filter((line) => !isOutput(line)), ...lines.filter(isOutput)].join('\n')}\n`;
}
