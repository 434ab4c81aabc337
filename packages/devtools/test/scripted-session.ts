// CDP sessions with a recording whose statements and values are written down, without any process.
import { onTestFinished } from 'vitest';
import { DevtoolsPort } from '@turntable/devtools';
import type { Wire } from '@turntable/time-machine/client';
import type { TimeMachineServer } from '@turntable/time-machine/server';
import { CdpClient } from '../../../test/devtools/cdp-client.ts';
import { CART_FILE } from '../../time-machine/test/scripted-recording.ts';
import { scriptedServer, type ScriptedServerOptions } from '../../time-machine/test/scripted-server.ts';

/** The id of the script of the cart; number 1 is a placeholder for code without source. */
export const CART_SCRIPT = '2';

/** Serves a time machine; returns a function that connects a client. */
export async function serveCart(
  server: TimeMachineServer,
  { url = CART_FILE, connect = () => server.openWire() }: { readonly url?: string; readonly connect?: () => Wire } = {},
): Promise<() => Promise<CdpClient>> {
  const port = new DevtoolsPort({ title: 'cart', url, version: '1.2.3', connect });
  const { socket } = await port.listen(0);
  onTestFinished(async () => {
    await port.close();
    await server.close();
  });
  return () => CdpClient.connect(socket);
}

/** A client that has enabled the debugger and stopped at the start of the recording. */
export async function debugCart(
  options: ScriptedServerOptions = {},
  settings: { readonly url?: string } = {},
): Promise<CdpClient> {
  const client = await (await serveCart(scriptedServer(options), settings))();
  await client.enable();
  return client;
}

/**
 * All messages in a form that is the same on every machine. Output comes at varying points, so it is at the end. The id of
 * the debugger is random, and log points are printed with the current time.
 */
export function transcript(client: CdpClient): string {
  const lines = client.log.lines.map((line) =>
    line
      .replace(/"debuggerId":"\w+"/, '"debuggerId":"…"')
      .replace(/"sourceMapURL":"[^"]*"/, '"sourceMapURL":"…"')
      .replace(/"timestamp":\d{6,}/, '"timestamp":…')
      .replace(/"moves":\[.*\],"breakpointKinds":\[.*\]/, '"moves":[…]')
      .replaceAll(/(available:|there are) [^"]*/g, '$1 …')
      .replaceAll(/([xy])\1{50,}/g, (run) => `${run[0]}×${run.length}`),
  );
  const isOutput = (line: string): boolean => line.startsWith('<- {"method":"Runtime.consoleAPICalled"');
  return `${[...lines.filter((line) => !isOutput(line)), ...lines.filter(isOutput)].join('\n')}\n`;
}
