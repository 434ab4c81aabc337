// Tests the notes about the start of a recorded program.
import { expect, test } from 'vitest';
import {
  isClusterWorker,
  startsWithProgram,
  readTransformSettings,
  readStartOptions,
  createStartNotes,
  readStoppedPhases,
} from '../src/recorder/recording-notes.ts';

const settings = { include: ['left-pad'], exclude: ['/vendor/'] };

test('notes are unchanged after writing and reading', () => {
  const notes = createStartNotes({ start: { workers: 2 }, startsWithProgram: true, isClusterWorker: true, settings });
  expect(readStartOptions(notes)).toEqual({ workers: 2 });
  expect(readTransformSettings(notes)).toEqual(settings);
  expect([startsWithProgram(notes), isClusterWorker(notes)]).toEqual([true, true]);
});

test('missing notes and notes of the wrong type have default values', () => {
  for (const notes of [
    {},
    { start: 1, settings: { include: 'left-pad', exclude: [1] }, startsWithProgram: 'yes', cluster: 'yes', stopped: 3 },
  ]) {
    expect(readStartOptions(notes)).toEqual({});
    expect(readTransformSettings(notes)).toEqual({ include: [], exclude: [] });
    expect([startsWithProgram(notes), isClusterWorker(notes)]).toEqual([false, false]);
    expect(readStoppedPhases(notes)).toEqual([]);
  }
});
