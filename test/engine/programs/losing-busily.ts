// A worker ends while another one awaits an actor of it, and the main program has timers all the time.
import { spawnWith, start } from 'turntable';
import { Friend, Mortal } from '../../replay/fixtures/mortal-actors.ts';

const app = start({ workers: 2 });
const mortal = spawnWith({ on: 1, supervise: 'restart' }, Mortal, 'one');
const friend = spawnWith({ on: 2 }, Friend, mortal);
const talking = friend.talk(10_000).catch((error: Error) => error.message);
const ticking = new Promise<void>((resolve) => {
  let ticks = 0;
  const timer = setInterval(() => {
    if (++ticks === 10) mortal.exit().catch(() => undefined);
    if (ticks < 60) return;
    clearInterval(timer);
    resolve();
  }, 1);
});
console.log(await talking);
await ticking;
await app.close();
