// Notes of how a recorded program was started, as they are written and read.
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

test('notes are read as they were written', () => {
  const notes = createStartNotes({ start: { workers: 2 }, startsWithProgram: true, isClusterWorker: true, settings });
  expect(readStartOptions(notes)).toEqual({ workers: 2 });
  expect(readTransformSettings(notes)).toEqual(settings);
  expect([startsWithProgram(notes), isClusterWorker(notes)]).toEqual([true, true]);
});

test('notes that are missing or of another type count as none', () => {
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
