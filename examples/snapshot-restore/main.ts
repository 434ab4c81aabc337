// Five steps of work. The program takes a snapshot after the third one, in the middle of a loop.
import { setTimeout as sleep } from 'node:timers/promises';
import { start } from 'turntable';

const app = start({ workers: 0 });
const done: number[] = [];

async function work(): Promise<void> {
  for (let step = 1; step <= 5; step++) {
    await sleep(100);
    done.push(step);
    console.log(`process ${process.pid} has done steps ${done.join(', ')}`);
    if (step === 3) await app.snapshot();
    if (step === 4 && process.env['POWER_CUT'] === '1') process.kill(process.pid, 'SIGKILL');
  }
}

await work();
console.log('all steps are done');
