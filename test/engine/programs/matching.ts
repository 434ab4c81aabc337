// An actor that does not come back from native code.
import { spawnWith, start } from 'turntable';
import { Matcher } from './matching-actors.ts';

start({ workers: 1 });
const matcher = spawnWith({ on: 1 }, Matcher);
void matcher.matches(`${'a'.repeat(60)}!`);
setInterval(() => {}, 5);
