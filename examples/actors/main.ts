// Two orders: one is answered, one is not answered in time.
import { sendWith, spawnWith, start } from 'turntable';
import { Kitchen, Waiter } from './kitchen.ts';

start({ workers: 2 });
const kitchen = spawnWith({ on: 1 }, Kitchen);
const waiter = spawnWith({ on: 2 }, Waiter, kitchen);

console.log(await waiter.order('soup'));
try {
  console.log(await sendWith({ deadline: 500 }, waiter).order('roast'));
} catch (error) {
  console.log((error as Error).message);
}
