// npm run bench:devtools: how long Chrome DevTools wait for a recording: from a step to the next pause, forward and
// back, and from the connection to the first pause.

import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { CdpClient } from '../../test/devtools/cdp-client.ts';
import { BenchError } from '../harness/session.ts';
import { BUNDLED_CLI_ARGS } from '../harness/whole-run.ts';
import { steppingBench, type OpenedDebugger, type StepOutcome } from '../timetravel/stepping.ts';

const HELP = `how long Chrome DevTools wait for a recording: from a step to Debugger.paused
with all frames, forward and back, in a turn of 100,000 statements; and to the
first pause, from the connection and from the start of the command, in a
recording opened before.

npm run bench:devtools -- [options]
  --quick   take fewer samples
  --json    print one JSON object instead of the table
  --help`;

interface DevToolsProcess {
  readonly child: ChildProcess;
  readonly address: string;
}

async function serve(recording: string, env: NodeJS.ProcessEnv): Promise<DevToolsProcess> {
  const child = spawn(process.execPath, [...BUNDLED_CLI_ARGS, 'devtools', recording], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const address = /ws:\/\/\S+/.exec(line)?.[0];
    if (address !== undefined) return { child, address };
  }
  throw new BenchError('TT_BENCH_FAILURE', 'turntable devtools printed no address');
}

async function openDebugger(recording: string, env: NodeJS.ProcessEnv): Promise<OpenedDebugger> {
  const startedAt = performance.now();
  const { child, address } = await serve(recording, env);
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const listening = performance.now();
  const client = await CdpClient.connect(address);
  await client.enable();
  const startTimes = [performance.now() - listening, performance.now() - startedAt];
  const step = async (command: string): Promise<StepOutcome> => {
    const { reason, data } = await client.runToPause(command);
    return { reason, description: data.description };
  };
  return {
    startTimes,
    debugger: {
      tasks: async () => {
        const params = { from: 1, count: 1000 };
        type Positions = { readonly tasks: { position: string; statementLists: number }[] };
        const { tasks } = await client.request<Positions>('TimeTravel.positions', params);
        return tasks;
      },
      moveTo: async (position) => (await client.runToPause('TimeTravel.goto', { position })).data.position === position,
      forward: () => step('Debugger.stepOver'),
      back: () => step('TimeTravel.stepBack'),
      close: async () => {
        client.close();
        child.kill('SIGTERM');
        await exited;
      },
    },
  };
}

await steppingBench({
  name: 'devtools',
  help: HELP,
  starts: ['connection to first pause', 'start to first pause'],
  open: openDebugger,
});
