// `ls`: directories of recordings, packed and sealed ones among them, and files that are none.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { packRecording } from '@turntable/recording/packed';
import { encodeManifest } from '../../recording/src/manifest.ts';
import { RecordingSeal } from '../../recording/src/sealed/recording-seal.ts';
import { makeRecording, MANIFEST, NAME } from '../../recording/test/packed.ts';
import { recordingsIn } from '../src/commands/ls.ts';

test('recordings of a directory are listed, packed ones last', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const recordingDirectory = makeRecording(directory);
  const file = join(directory, 'packed.ttr');
  await packRecording(recordingDirectory, file);
  writeFileSync(join(directory, 'other.ttr'), 'no recording');
  const [unpacked, packed, ...others] = recordingsIn(directory);
  expect(others).toEqual([]);
  expect(unpacked).toMatchObject({
    name: NAME,
    directory: recordingDirectory,
    isPacked: false,
    isSealed: false,
    entry: packed?.entry,
  });
  expect(packed).toMatchObject({ name: 'packed.ttr', directory: file, isPacked: true, traces: unpacked?.traces });
  expect(packed?.snapshots).toBe(readdirSync(join(recordingDirectory, 'snapshots')).length);
  expect(recordingsIn(file)).toEqual([packed]);
  expect(recordingsIn(recordingDirectory)).toEqual([unpacked]);
  writeFileSync(join(recordingDirectory, 'manifest.json'), encodeManifest({ ...MANIFEST, exitCode: 3 }));
  expect(recordingsIn(directory)[0]).toMatchObject({ exitCode: 3 });
  const sealed = encodeManifest(MANIFEST, new RecordingSeal(MANIFEST.id, Buffer.alloc(32)));
  writeFileSync(join(recordingDirectory, 'manifest.json'), sealed);
  expect(recordingsIn(directory)[0]).toMatchObject({
    isSealed: true,
    isUnverified: true,
    snapshots: packed?.snapshots,
  });
  writeFileSync(file, Buffer.from('TTPK'));
  writeFileSync(join(recordingDirectory, 'manifest.json'), '{}');
  expect(recordingsIn(directory)[0]?.reason).toContain('is not the manifest of a recording');
});
