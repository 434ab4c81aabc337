// A device is declared in one task, and another one in a later task.
import { createServer } from 'node:net';
import { device } from 'turntable';

const devices = [];
const log = [];

function declareIn(left) {
  setTimeout(() => {
    log.push(`${left} left`);
    if (left === 3 || left === 0) devices.push(device(() => createServer()));
    log.push(devices.length);
    if (left > 0) declareIn(left - 1);
    else console.log(log.join());
  }, 1);
}

declareIn(3);
