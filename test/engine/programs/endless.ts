// An actor that never returns from a message while the main thread continues.
import { spawnWith, start } from 'turntable';
import { Searcher } from './endless-actors.ts';

start({ workers: 1 });
const searcher = spawnWith({ on: 1 }, Searcher);
void searcher.find('plum');
let ticks = 0;
setInterval(() => ticks++, 5);
