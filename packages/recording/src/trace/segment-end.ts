// Detects a complete trace from its end mark alone, without reading the events before it.
import { openFileSource } from '../file-source.ts';
import type { RecordingSeal } from '../sealed/recording-seal.ts';
import { RecordingError } from '../recording-error.ts';
import { asBuffer } from '../snapshot-format.ts';
import {
  decodeTraceContent,
  decodeTraceBlock,
  FOLLOWS,
  MARK_BLOCK,
  MARK_BYTES,
  TRACE_BLOCK_HEAD_BYTES,
  TRACE_HEADER_BYTES,
} from './trace-format.ts';

/** Returns whether the segment is the last of its trace; false if the file is cut off, missing or damaged there. */
export function isLastSegment(path: string, seal?: RecordingSeal): boolean {
  try {
    const source = openFileSource(path, seal);
    try {
      const blockOffset = source.size - TRACE_BLOCK_HEAD_BYTES - MARK_BYTES;
      if (blockOffset < TRACE_HEADER_BYTES) return false;
      const head = source.read(blockOffset, TRACE_BLOCK_HEAD_BYTES);
      const block = decodeTraceBlock(head, path, blockOffset, Number(asBuffer(head).readBigUInt64LE(12)));
      if (block.kind !== MARK_BLOCK || block.stored !== MARK_BYTES) return false;
      return (
        decodeTraceContent(
          block,
          source.read(blockOffset + TRACE_BLOCK_HEAD_BYTES, MARK_BYTES),
          path,
          blockOffset,
        )[0] === FOLLOWS.end
      );
    } finally {
      source.close();
    }
  } catch (error) {
    if (error instanceof RecordingError) return false;
    throw error;
  }
}
