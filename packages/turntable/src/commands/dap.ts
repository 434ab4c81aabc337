// `turntable dap`: debugs recordings in editors over the Debug Adapter Protocol, on standard streams or a port.
import { DapPort, serveStreams } from '@turntable/dap';
import { dapEmbedder } from '../debug/dap-embedder.ts';
import { DAP } from '../command-line/debug-commands.ts';
import { parseArguments, portProblem } from './arguments.ts';
import { waitForInterrupt } from './interrupt.ts';
import { reportUsageError } from './failure.ts';
import { print } from '../printing.ts';

export async function dapCommand(args: readonly string[]): Promise<number> {
  const parsed = parseArguments(args, DAP, { subjectName: 'port', maxPositionals: 0 });
  const problem = typeof parsed === 'string' ? parsed : portProblem(parsed.values.port);
  if (typeof parsed === 'string' || problem !== undefined) return reportUsageError('dap', problem);
  const { port } = parsed.values;
  const token = process.env['TURNTABLE_DAP_TOKEN'];
  if (port === undefined) {
    await serveStreams(dapEmbedder, { input: process.stdin, output: process.stdout });
    return 0;
  }
  const server = new DapPort(dapEmbedder, token === '' ? undefined : token);
  const listeningPort = await server.listen(Number(port));
  print(`${listeningPort} ${server.token}\n`);
  await waitForInterrupt();
  await server.close();
  return 0;
}
