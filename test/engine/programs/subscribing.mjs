// A listener of one of Node's channels gets a number when it subscribes; so do the callbacks of what is asked of the host later.
import { subscribe } from 'node:diagnostics_channel';
import { readFile } from 'node:fs';

const received = [];
const repeat = (count, step) => setTimeout(() => step(count) && count > 0 && repeat(count - 1, step), 1);

setTimeout(() => {
  subscribe('net.client.socket', () => received.push('a socket'));
  received.push('subscribed');
  received.push('still here');
  repeat(3, (left) => {
    received.push(left);
    if (left === 0)
      readFile(new URL(import.meta.url), 'utf8', (_, text) => console.log(text.length > 0, received.join()));
    return true;
  });
}, 1);
