// Two streams as a wire, a line for each message: between a process and who has started it, where no port is needed.
import type { Readable, Writable } from 'node:stream';
import type { Wire } from './wire.ts';

/** @param longest characters of a line that comes: who sends a longer one is not listened to any more */
export function lineWire(input: Readable, output: Writable, longest = Infinity): Wire {
  let listener: ((text: string) => void) | undefined;
  let closed: (why: string) => void = () => {};
  let isClosed = false;
  let rest = '';
  const close = (why: string): void => {
    if (isClosed) return;
    isClosed = true;
    input.destroy();
    closed(why);
  };
  const take = (chunk: string): void => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (!isClosed && line !== '') listener?.(line);
    if (rest.length > longest) close(`a line of more than ${longest} characters`);
  };
  input.setEncoding('utf8');
  input.on('end', () => close('its input has ended'));
  input.on('error', ({ message }) => close(message));
  output.on('error', ({ message }) => close(message));
  return {
    send: (text) => {
      if (!isClosed) output.write(`${text}\n`);
    },
    onText: (wanted) => {
      const isFirst = listener === undefined;
      listener = wanted;
      // A stream flows from its first listener on: what came before waits in it.
      if (isFirst) input.on('data', take);
    },
    onClose: (wanted) => void (closed = wanted),
    close: () => {
      isClosed = true;
      input.destroy();
      output.end();
    },
  };
}
