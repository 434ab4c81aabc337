// npm run bench:dap: how long an editor waits for the debugger of recordings: from a step to the next stop, forward and
// back, and from the start of a session to its first stop.

import { spawn } from 'node:child_process';
import { DapClient } from '../../test/dap/dap-client.ts';
import { BUNDLED_CLI_ARGS } from '../harness/whole-run.ts';
import { steppingBench, type OpenedDebugger, type StepOutcome } from '../timetravel/stepping.ts';

const HELP = `how long an editor waits for the debugger of recordings: from a step to the
stopped event, forward and back, in a turn of 100,000 statements; and from the
start of a session to its first stop, in a recording opened before.

npm run bench:dap -- [options]
  --quick   take fewer samples
  --json    print one JSON object instead of the table
  --help`;

async function openDebugger(recording: string, env: NodeJS.ProcessEnv): Promise<OpenedDebugger> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...BUNDLED_CLI_ARGS, 'dap'], { stdio: ['pipe', 'pipe', 'inherit'], env });
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const client = new DapClient(child.stdout, child.stdin);
  await client.request('initialize', { adapterID: 'turntable', linesStartAt1: true, columnsStartAt1: true });
  await client.request('launch', { recording });
  await client.nextEvent('initialized');
  await client.request('configurationDone');
  await client.nextEvent('stopped');
  const startTimes = [performance.now() - startedAt];
  const step = async (command: string): Promise<StepOutcome> => {
    client.send(command, { granularity: 'statement' });
    return (await client.nextEvent('stopped')) as unknown as StepOutcome;
  };
  return {
    startTimes,
    debugger: {
      tasks: async () => {
        const response = await client.request('turntable/ask', { method: 'tasks', params: { from: 1, count: 1000 } });
        return response['tasks'] as unknown as { position: string; statementLists: number }[];
      },
      moveTo: async (position) => {
        const moveResult = await client.request('turntable/move', { move: 'goto', arguments: { target: position } });
        await client.nextEvent('stopped');
        return moveResult['found'] as unknown as boolean;
      },
      forward: () => step('next'),
      back: () => step('stepBack'),
      close: async () => {
        await client.request('disconnect');
        await exited;
      },
    },
  };
}

await steppingBench({ name: 'dap', help: HELP, starts: ['start to first stop'], open: openDebugger });
