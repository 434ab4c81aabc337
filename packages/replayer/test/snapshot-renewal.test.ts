// The recorder looks for a moment for a snapshot until there is one behind the last gap.
import { expect, it } from 'vitest';
import { SnapshotRenewal } from '../src/recorder/snapshot-renewal.ts';

it('needs another snapshot after a gap behind the cut of the one that is being written', () => {
  const renewal = new SnapshotRenewal({ onStart: () => {}, mayPause: () => false, attempt: () => {} });
  renewal.start(2);
  renewal.start(3);
  renewal.snapshotWritten(3);
  expect(renewal.isActive).toBe(true);
  renewal.snapshotWritten(4);
  expect(renewal.isActive).toBe(false);
});
