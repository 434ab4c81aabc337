// One line of text for a thrown value. It calls no method of the value, which may be a device or inherit from one.
import { valueLine } from '../replay/thread/value-inspector.ts';

export function thrownText(thrown: unknown): string {
  const text = typeof thrown === 'string' ? thrown : valueLine(thrown, 0);
  return text.split('\n', 1)[0] ?? '';
}
