// Reads a worker's part of a written snapshot, for the replacement of a lost worker, while the other workers run.
import { openRecording } from '@turntable/recording';
import { RuntimeError, type LastPartReader } from '@turntable/runtime';
import { STATE_PART } from './part-feed.ts';

export const readLastPart: LastPartReader = ({ recording, phase }, worker) => {
  const part = openRecording(recording).latestPart(worker, STATE_PART, phase);
  if (part !== undefined) return part;
  throw new RuntimeError('TT_NO_SNAPSHOT', `no snapshot in ${recording} has a complete part of worker ${worker}`);
};
