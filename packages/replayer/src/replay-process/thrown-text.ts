// What an expression has thrown, in one line, without calling or asking anybody: what is thrown may be a device, or have one among its prototypes.
import { valueLine } from '../replay/thread/value-inspector.ts';

export function thrownText(thrown: unknown): string {
  const text = typeof thrown === 'string' ? thrown : valueLine(thrown, 0);
  return text.split('\n', 1)[0] ?? '';
}
