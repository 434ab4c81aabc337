// npm run bench:devtools: how long Chrome DevTools wait for a recording: from a step to where it has led, forward and back, and from the connection to the first pause.

import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { CdpClient } from '../../test/devtools/cdp-client.ts';
import { BenchError } from '../harness/session.ts';
import { PUBLISHED } from '../harness/whole-run.ts';
import { steppingBench, type Opened, type Stepped } from '../timetravel/stepping.ts';

const HELP = `How long Chrome DevTools wait for a recording: from a step to Debugger.paused with all frames, forward and back, in a turn of 100,000 statements; and from the connection to the first
pause, and from the start of the command to it, in a recording that was looked at before.

npm run bench:devtools -- [options]
  --quick   fewer samples
  --json    one JSON object on standard output instead of the table
  --help`;

interface Serving {
  readonly child: ChildProcess;
  readonly address: string;
}

async function serve(recording: string, env: NodeJS.ProcessEnv): Promise<Serving> {
  const child = spawn(process.execPath, [...PUBLISHED, 'devtools', recording], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith('ws://')) return { child, address: line };
  throw new BenchError('TT_BENCH_FAILURE', 'turntable devtools has told no address');
}

async function open(recording: string, env: NodeJS.ProcessEnv): Promise<Opened> {
  const began = performance.now();
  const { child, address } = await serve(recording, env);
  const ended = new Promise<void>((settle) => child.once('close', () => settle()));
  const listening = performance.now();
  const client = await CdpClient.at(address);
  await client.begin();
  const took = [performance.now() - listening, performance.now() - began];
  const step = async (command: string): Promise<Stepped> => {
    const { reason, data } = await client.go(command);
    return { reason, description: data.description };
  };
  return {
    took,
    debugger: {
      stretches: async () => {
        const asked = { from: 1, count: 1000 };
        const { stretches } = await client.request<{ stretches: { position: string; lists: number }[] }>(
          'TimeTravel.positions',
          asked,
        );
        return stretches;
      },
      goTo: async (position) => (await client.go('TimeTravel.goto', { position })).data.position === position,
      forward: () => step('Debugger.stepOver'),
      back: () => step('TimeTravel.stepBack'),
      close: async () => {
        client.close();
        child.kill('SIGTERM');
        await ended;
      },
    },
  };
}

await steppingBench({
  name: 'devtools',
  help: HELP,
  starts: ['connection to first pause', 'start to first pause'],
  open,
});
