// npm run bench:dap: how long an editor waits for the debugger of recordings: from a step to where it has led, forward and back, and from the start of a session to its first stop.

import { spawn } from 'node:child_process';
import { WireClient } from '../../test/dap/wire-client.ts';
import { PUBLISHED } from '../harness/whole-run.ts';
import { steppingBench, type Opened, type Stepped } from '../timetravel/stepping.ts';

const HELP = `How long an editor waits for the debugger of recordings: from a step to the stopped event, forward and back, in a turn of 100,000 statements; and from the start of a session to its first
stop, in a recording that was looked at before.

npm run bench:dap -- [options]
  --quick   fewer samples
  --json    one JSON object on standard output instead of the table
  --help`;

async function open(recording: string, env: NodeJS.ProcessEnv): Promise<Opened> {
  const began = performance.now();
  const child = spawn(process.execPath, [...PUBLISHED, 'dap'], { stdio: ['pipe', 'pipe', 'inherit'], env });
  const ended = new Promise<void>((settle) => child.once('close', () => settle()));
  const client = new WireClient(child.stdout, child.stdin);
  await client.request('initialize', { adapterID: 'turntable', linesStartAt1: true, columnsStartAt1: true });
  await client.request('launch', { recording });
  await client.event('initialized');
  await client.request('configurationDone');
  await client.event('stopped');
  const took = [performance.now() - began];
  const step = async (command: string): Promise<Stepped> => {
    client.send(command, { granularity: 'statement' });
    return (await client.event('stopped')) as unknown as Stepped;
  };
  return {
    took,
    debugger: {
      stretches: async () => {
        const asked = await client.request('turntable/ask', { method: 'stretches', params: { from: 1, count: 1000 } });
        return asked['stretches'] as unknown as { position: string; lists: number }[];
      },
      goTo: async (position) => {
        const landed = await client.request('turntable/move', { move: 'position', arguments: { position } });
        await client.event('stopped');
        return landed['found'] as unknown as boolean;
      },
      forward: () => step('next'),
      back: () => step('stepBack'),
      close: async () => {
        await client.request('disconnect');
        await ended;
      },
    },
  };
}

await steppingBench({ name: 'dap', help: HELP, starts: ['start to first stop'], open });
