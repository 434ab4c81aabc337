// A main program waits for an actor, that for itself and for one on another worker, which waits for what never comes.
import { spawnWith, start } from 'turntable';
import { Baker, Oven } from './waiting-actors.ts';

const app = start({ workers: 1 });
const oven = spawnWith({ on: 1, name: 'oven' }, Oven);
const baker = spawnWith({ on: 'main', name: 'baker' }, Baker, oven);

function served(bread: string): void {
  console.log(bread);
}

function lost(error: Error): void {
  console.log(error.name);
}

const bread = baker.prepare();
const serving = bread.then(served, lost);
// When it answers again, what the baker has asked it has come there before.
console.log(await oven.light(), await oven.light());
const rested = baker.rest();
rested.then(served, lost);
console.log('closing');
await rested;
await oven.burn();
console.log(await oven.light());
await app.close();
await serving;
