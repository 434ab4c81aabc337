// Notes of how a recorded program was started, as they are written and read.
import { expect, test } from 'vitest';
import {
  isStartedByCluster,
  isStartedWithProgram,
  settingsIn,
  startIn,
  startNotes,
  stoppedIn,
} from '../src/recorder/recording-notes.ts';

const settings = { include: ['left-pad'], exclude: ['/vendor/'] };

test('notes are read as they were written', () => {
  const notes = startNotes({ start: { workers: 2 }, isWithProgram: true, isOfCluster: true, settings });
  expect(startIn(notes)).toEqual({ workers: 2 });
  expect(settingsIn(notes)).toEqual(settings);
  expect([isStartedWithProgram(notes), isStartedByCluster(notes)]).toEqual([true, true]);
});

test('notes that are missing or of another type count as none', () => {
  for (const notes of [
    {},
    { start: 1, settings: { include: 'left-pad', exclude: [1] }, begins: true, cluster: 'yes', stopped: 3 },
  ]) {
    expect(startIn(notes)).toEqual({});
    expect(settingsIn(notes)).toEqual({ include: [], exclude: [] });
    expect([isStartedWithProgram(notes), isStartedByCluster(notes)]).toEqual([false, false]);
    expect(stoppedIn(notes)).toEqual([]);
  }
});
