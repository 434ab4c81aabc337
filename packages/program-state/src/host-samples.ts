// Objects of Node's as programs make them, for a capture to know the symbols under which Node keeps things in them.
import { EventEmitter } from 'node:events';
import { StringDecoder } from 'node:string_decoder';

export function createHostSamples(): Readonly<Record<string, object>> {
  const emitter = new EventEmitter();
  const listener = (): undefined => undefined;
  // Two make a list, on which Node counts who is going through it.
  emitter.on('sample', listener).on('sample', listener);
  const { _events: events } = emitter as unknown as { _events: Record<string, object> };
  return { EventEmitter: emitter, listeners: events['sample'] as object, StringDecoder: new StringDecoder() };
}
