// Two streams as a wire, a line for each message: between a process and who has started it, where no port is needed.
import type { Readable, Writable } from 'node:stream';
import type { Wire } from './wire.ts';

/** @param maxLength characters of a line that comes: who sends a longer one is not listened to any more */
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
      // A stream flows from its first listener on: what came before waits in it.
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
