// DAP sessions with a recording whose statements and values are written down here, without any process.
import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import { serveStreams, type DebugEmbedder } from '@turntable/dap';
import { Client } from '@turntable/time-machine/client';
import type { TimeMachineServer } from '@turntable/time-machine/server';
import { DapClient } from '../../../test/dap/dap-client.ts';
import { scriptedServer, type ScriptedServerOptions } from '../../time-machine/test/scripted-server.ts';

/** Arguments of `initialize`, as most editors send them. */
export const INITIALIZE = { adapterID: 'turntable', linesStartAt1: true, columnsStartAt1: true, pathFormat: 'path' };

/** @returns a client whose `over` settles when its session has ended */
export function connectEditor(embedder: DebugEmbedder): DapClient & { readonly over: Promise<void> } {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const ended = serveStreams(embedder, { input, output });
  const client = new DapClient(output, input);
  onTestFinished(() => {
    client.end();
    return ended;
  });
  return Object.assign(client, { over: ended });
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
  options: ScriptedServerOptions = {},
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
  options: ScriptedServerOptions = {},
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
