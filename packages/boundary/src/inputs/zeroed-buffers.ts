// Buffers that Node makes without filling them have in them what the process had there before. That is no input worth keeping, and what is never
// written is state nevertheless: in a thread with a tape they are filled with zeros.
import { replaceFunctions } from '@turntable/loader';

type BufferAllocator = (size: number) => Buffer;

const { apply } = Reflect;
const { fill } = Uint8Array.prototype;

export function zeroUnsafeBuffers(): void {
  for (const name of ['allocUnsafe', 'allocUnsafeSlow'] as const) {
    const native = Buffer[name] as BufferAllocator;
    replaceFunctions(Buffer, {
      [name](size: number): Buffer {
        const buffer = native(size);
        apply(fill, buffer, [0]);
        return buffer;
      },
    });
  }
}
