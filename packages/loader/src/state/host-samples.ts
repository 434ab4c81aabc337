// Objects of Node's as programs make them, for a capture to know the symbols under which Node keeps things in them.
import { EventEmitter } from 'node:events';
import { StringDecoder } from 'node:string_decoder';

export function hostSamples(): Readonly<Record<string, object>> {
  return { EventEmitter: new EventEmitter(), StringDecoder: new StringDecoder() };
}
