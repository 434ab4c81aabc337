// `turntable dap`: debugs recordings in editors over the Debug Adapter Protocol, on standard streams or a port.
import { DapPort, serveStreams } from '@turntable/dap';
import { dapEmbedder } from '../debug/dap-embedder.ts';
import { parseArguments, portProblem } from './arguments.ts';
import { waitForInterrupt } from './interrupt.ts';
import { reportUsageError } from './failure.ts';

const USAGE = 'Usage: turntable dap [--port N] [--token TEXT]';

export const DAP_USAGE = `${USAGE}

Recordings in the debuggers of editors, forward and backward, by the Debug Adapter Protocol (docs/dap.md): on standard input and output for the editor that has started it, or at a port of
this computer, a session for each connection. What is looked into, a configuration of the editor says: a recording, a program to be run and recorded, or an address that turntable debug
--serve prints.
  --port N          at this port, or with 0 at any that is free: prints the port and the token that configurations need, until it is interrupted
  --token TEXT      this token instead of a new one; also as TURNTABLE_DAP_TOKEN
  --key FILE        the key that recordings are sealed with, if they are; also as TURNTABLE_KEY

Ends with 0.

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
