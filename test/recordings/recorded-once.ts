// A recording of a fixture that all tests of a file share.
import { join } from 'node:path';
import { beforeAll } from 'vitest';
import { record, recordingIn, type TurntableResult } from '../replay/record-and-replay.ts';
import { createScratchDirectory, FIXTURES } from './processes.ts';

export interface RecordedFixture {
  /** Directory that contains the recording. */
  readonly recordings: string;
  readonly recording: string;
  readonly recorded: TurntableResult;
}

/** Records a program before the first test. The properties are set from then on. */
export function recordOnce(file: string): RecordedFixture {
  const recordings = join(createScratchDirectory(), 'recordings');
  const fixture = { recordings } as { -readonly [Key in keyof RecordedFixture]: RecordedFixture[Key] };
  beforeAll(() => {
    fixture.recorded = record(recordings, [join(FIXTURES, file)]);
    fixture.recording = recordingIn(recordings);
  });
  return fixture;
}
