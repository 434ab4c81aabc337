import { spawnWith, start } from 'turntable';
import { Ping, Pong } from './players.ts';

const app = start({ workers: 0 });
const pong = spawnWith({ on: 'main', name: 'pong' }, Pong);
const ping = spawnWith({ on: 'main', name: 'ping' }, Ping, pong);
console.log(await ping.normal());
console.log(await ping.nothing());
console.log(await ping.chained());
console.log(await ping.open());
console.log(await ping.ready());
console.log(await ping.whenResolved());
console.log(await ping.onError());
console.log(await ping.whenResolvedOnError());
console.log(await ping.again(ping, 2));
await app.close();
