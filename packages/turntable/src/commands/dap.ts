// `turntable dap`: debugs recordings in editors over the Debug Adapter Protocol, on standard streams or a port.
import { DapPort, serveStreams } from '@turntable/dap';
import { dapEmbedder } from '../debug/dap-embedder.ts';
import { parseArguments, portProblem } from './arguments.ts';
import { waitForInterrupt } from './interrupt.ts';
import { reportUsageError } from './failure.ts';

const USAGE = 'Usage: turntable dap [--port N] [--token TEXT]';

export const DAP_USAGE = `${USAGE}

Debug recordings in editors, forward and backward, over the Debug Adapter
Protocol (docs/guide/editors.md). The editor starts it on standard input and output, or
connects to a port. Its configuration names a recording, a program to record,
or an address printed by turntable debug --serve.

  --port N      listen on a port (0: any free one); print port and token
  --token TEXT  use this token (TURNTABLE_DAP_TOKEN) instead of a random one
  --key FILE    key of sealed recordings (TURNTABLE_KEY)

  turntable dap
  turntable dap --port 4711`;

export async function dapCommand(args: readonly string[]): Promise<number> {
  const parsed = parseArguments(
    args,
    { port: { type: 'string' }, token: { type: 'string' } },
    { usage: USAGE, subjectName: 'port', maxPositionals: 0 },
  );
  const problem = typeof parsed === 'string' ? parsed : portProblem(parsed.values.port);
  if (typeof parsed === 'string' || problem !== undefined) return reportUsageError('dap', problem);
  const { port, token = process.env['TURNTABLE_DAP_TOKEN'] } = parsed.values;
  if (port === undefined) {
    await serveStreams(dapEmbedder, { input: process.stdin, output: process.stdout });
    return 0;
  }
  const server = new DapPort(dapEmbedder, token === '' ? undefined : token);
  const listeningPort = await server.listen(Number(port));
  process.stdout.write(`${listeningPort} ${server.token}\n`);
  await waitForInterrupt();
  await server.close();
  return 0;
}
