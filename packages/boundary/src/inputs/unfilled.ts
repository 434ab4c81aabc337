// Buffers that Node makes without filling them have in them what the process had there before. That is no input worth keeping, and what is never
// written is state nevertheless: in a thread with a tape they are filled with zeros.
import { standInAll } from '@turntable/loader';

type Make = (size: number) => Buffer;

const { apply } = Reflect;
const { fill } = Uint8Array.prototype;

export function fillBuffers(): void {
  for (const name of ['allocUnsafe', 'allocUnsafeSlow'] as const) {
    const native = Buffer[name] as Make;
    standInAll(Buffer, {
      [name](size: number): Buffer {
        const buffer = native(size);
        apply(fill, buffer, [0]);
        return buffer;
      },
    });
  }
}
