// A wire over two streams, with one message per line. It connects a child process and its parent without a port.
import type { Readable, Writable } from 'node:stream';
import type { Wire } from './wire.ts';

/** @param maxLength maximum characters of an incoming line; a longer line closes the wire */
export function lineWire(input: Readable, output: Writable, maxLength = Infinity): Wire {
  let listener: ((text: string) => void) | undefined;
  let onClosed: (reason: string) => void = () => {};
  let isClosed = false;
  let partialLine = '';
  const close = (reason: string): void => {
    if (isClosed) return;
    isClosed = true;
    input.destroy();
    onClosed(reason);
  };
  const receive = (chunk: string): void => {
    const lines = (partialLine + chunk).split('\n');
    partialLine = lines.pop() ?? '';
    for (const line of lines) if (!isClosed && line !== '') listener?.(line);
    if (partialLine.length > maxLength) close(`a line of more than ${maxLength} characters`);
  };
  input.setEncoding('utf8');
  input.on('end', () => close('its input has ended'));
  input.on('error', ({ message }) => close(message));
  output.on('error', ({ message }) => close(message));
  return {
    send: (text) => {
      if (!isClosed) output.write(`${text}\n`);
    },
    onText: (newListener) => {
      const isFirst = listener === undefined;
      listener = newListener;
      // A stream starts to flow with its first listener, so no earlier text was lost.
      if (isFirst) input.on('data', receive);
    },
    onClose: (newListener) => void (onClosed = newListener),
    close: () => {
      isClosed = true;
      input.destroy();
      output.end();
    },
  };
}
