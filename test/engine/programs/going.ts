// Actors on two workers whose turns change what they hold in many ways, ask each other, wait, and fail; and a main program with timers.
import { spawn, start } from 'turntable';
import { Agent, Ledger } from './going-actors.ts';

const app = start({ workers: 2 });
const ledger = spawn(Ledger);
const agents = ['ann', 'bob'].map((name) => spawn(Agent, ledger as never, name));
const seen: { tick: number; at: number }[] = [];

async function ticks(count: number): Promise<number> {
  let last = 0;
  for (let tick = 1; tick <= count; tick++) {
    await new Promise<void>((resolve) => {
      setTimeout(() => {
        seen.push({ tick, at: Math.floor(Math.random() * 100) });
        process.nextTick(() => resolve());
      }, 1);
    });
    last += seen.at(-1)?.tick ?? 0;
    console.log(`tick ${tick} of ${count}`);
  }
  return last;
}

const [sum, ...received] = await Promise.all([ticks(4), ...agents.map((agent) => agent.work(5))]);
console.log(sum, received.join('; '));
await app.snapshot();
console.log(await ledger.enter('main', [seen.length]));
await app.close();
