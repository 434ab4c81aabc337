// Two actors of one worker that send each other messages forever, without input from outside.
import { spawnWith, start } from 'turntable';
import { Ticker } from './ticking-actors.ts';

start({ workers: 1 });
const [one, other] = [spawnWith({ on: 1 }, Ticker), spawnWith({ on: 1 }, Ticker)];
void one.tick(other as never, one as never);
