// A program that ends in the turn of an actor for which more waits.
import { spawnWith, start, tell } from 'turntable';
import { Box } from './leaving-actors.ts';

start();
const box = spawnWith({ on: 'main', name: 'box' }, Box);
console.log(await box.count());
tell(box).leave();
tell(box).put('tea');
tell(box).put('rum');
