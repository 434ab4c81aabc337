// Fills uninitialized buffers with zeros in a thread with a tape. Their contents are no input worth recording, but
// become state if the program never writes them.
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
