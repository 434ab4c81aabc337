// A worker's actor prints while the main program does.
import { spawnWith, start } from 'turntable';
import { Teller } from './telling-actors.ts';

const app = start({ workers: 1 });
const teller = spawnWith({ on: 1, name: 'teller' }, Teller);
for (const what of ['one', 'two', 'three']) console.log(`heard ${await teller.tell(what)}`);
await app.close();
console.log('over');
