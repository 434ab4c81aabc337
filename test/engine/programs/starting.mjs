// Where actors live is decided in callbacks: the app is arranged in one, an actor is spawned in the next, and later none can be spawned.
import { spawnWith, start } from 'turntable';
import { Lender } from './releasing-actors.mjs';

const log = [];
let app;

setTimeout(() => {
  app = start({ workers: 2 });
  log.push('started');
  setTimeout(() => {
    const lenders = [1, 2, 3].map(() => spawnWith({ on: 'main' }, Lender));
    log.push(lenders.length);
    setTimeout(async () => {
      const closed = app.close();
      log.push('closing');
      setTimeout(() => log.push('later'), 1);
      console.log(await closed, log.join());
    }, 1);
  }, 1);
}, 1);
