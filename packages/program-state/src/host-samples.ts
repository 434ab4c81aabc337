// Sample objects of Node, which reveal the symbols under which Node stores internal state.
import { EventEmitter } from 'node:events';
import { StringDecoder } from 'node:string_decoder';

export function createHostSamples(): Readonly<Record<string, object>> {
  const emitter = new EventEmitter();
  const listener = (): undefined => undefined;
  // Node counts iterations on a list of at least two listeners.
  emitter.on('sample', listener).on('sample', listener);
  const { _events: events } = emitter as unknown as { _events: Record<string, object> };
  return { EventEmitter: emitter, listeners: events['sample'] as object, StringDecoder: new StringDecoder() };
}
