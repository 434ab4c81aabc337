// Whether a worker's trace has its end. The mark with which its last segment is complete stands at the end of the file, so nothing before it is read.
import { fileSource } from '../file-source.ts';
import { RecordingError } from '../recording-error.ts';
import { viewOf } from '../snapshot-format.ts';
import {
  contentOfTraceBlock,
  decodeTraceBlock,
  MARK_BLOCK,
  MARK_LENGTH,
  TRACE_BLOCK_HEAD,
  TRACE_HEADER,
} from './trace-format.ts';

/** Of the file of a segment; no, if it is not there, or is damaged there. */
export function isLastSegment(path: string): boolean {
  try {
    const source = fileSource(path);
    try {
      const at = source.size - TRACE_BLOCK_HEAD - MARK_LENGTH;
      if (at < TRACE_HEADER) return false;
      const head = source.read(at, TRACE_BLOCK_HEAD);
      const block = decodeTraceBlock(head, path, at, Number(viewOf(head).readBigUInt64LE(12)));
      if (block.kind !== MARK_BLOCK || block.stored !== MARK_LENGTH) return false;
      return contentOfTraceBlock(block, source.read(at + TRACE_BLOCK_HEAD, MARK_LENGTH), path, at)[0] === 0;
    } finally {
      source.close();
    }
  } catch (error) {
    if (error instanceof RecordingError) return false;
    throw error;
  }
}
