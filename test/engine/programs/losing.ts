// A worker ends while another one talks to an actor of it, and a new one takes its place.
import { spawnWith, start } from 'turntable';
import { Friend, Mortal } from '../../replay/fixtures/mortal-actors.ts';

const app = start({ workers: 2 });
const mortal = spawnWith({ on: 1, supervise: 'restart' }, Mortal, 'one');
const friend = spawnWith({ on: 2 }, Friend, mortal);

async function outcome(asked: Promise<unknown>): Promise<string> {
  try {
    return String(await asked);
  } catch (error) {
    return (error as Error).message;
  }
}

console.log(await outcome(friend.talk(10)));
const talking = outcome(friend.talk(1000));
console.log(await outcome(mortal.exit()));
console.log(await talking, await outcome(friend.talk(10)));
await app.close();
