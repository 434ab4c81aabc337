// A manifest says what it is said to say, and nothing is taken for one that is not.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeProcess, type Manifest } from '@turntable/recording';
import { parseRecordingName, parseSnapshotFileName, recordingName, snapshotFileName } from '../src/file-names.ts';
import { decodeManifest, encodeManifest } from '../src/manifest.ts';
import { manifestOf, RecordingError } from './recording.ts';

const MODULE = { url: 'file:///shop.ts', sha256: 'ab'.repeat(32) };

function decode(value: unknown): Manifest {
  return decodeManifest(Buffer.from(JSON.stringify(value)), 'manifest.json');
}

test('describes the process it is made in, of its environment only what was asked for', () => {
  process.env['TURNTABLE_TEST'] = 'shown';
  const manifest = describeProcess({
    turntable: '0.1.0',
    workers: 3,
    env: ['TURNTABLE_TEST', 'TURNTABLE_TEST_UNSET'],
    entry: 'file:///shop.ts',
    devices: [{ name: 'pool' }],
    notes: { capture: 1 },
  });
  delete process.env['TURNTABLE_TEST'];
  expect(manifest).toMatchObject({
    pid: process.pid,
    versions: { turntable: '0.1.0', node: process.versions.node, v8: process.versions.v8 },
    argv: process.argv,
    execArgv: process.execArgv,
    cwd: process.cwd(),
    entry: 'file:///shop.ts',
    workers: 3,
    devices: [{ name: 'pool' }],
    notes: { capture: 1 },
    ended: null,
  });
  expect(Object.keys(manifest.env).filter((name) => name !== 'TZ')).toEqual(['TURNTABLE_TEST']);
  expect(manifest.timeZone).toBe(new Intl.DateTimeFormat().resolvedOptions().timeZone);
});

test('is read as it was written', () => {
  const manifest = { ...manifestOf({ notes: { deep: [1, { a: null }] } }), modules: [MODULE] };
  expect(decodeManifest(encodeManifest(manifest), 'manifest.json')).toEqual(manifest);
});

describe('is refused', () => {
  const good = { ...manifestOf(), modules: [MODULE] };
  test.each([
    ['by a field that is missing', { ...good, cwd: undefined }, 'expected a text in the field cwd'],
    ['by a field of another type', { ...good, argv: ['a', 1] }, 'expected texts in the field argv'],
    ['by versions that are missing', { ...good, versions: { node: '24' } }, 'expected versions in the field versions'],
    ['by a time that is none', { ...good, created: 'today' }, 'expected a time in the field created'],
    [
      'by a name of a file in the place of a digest',
      { ...good, modules: [{ ...MODULE, sha256: '../../etc/passwd' }] },
      'expected modules with their SHA-256 in the field modules',
    ],
    ['as another format', { ...good, format: 'something' }, 'manifest.json is not the manifest of a recording'],
    [
      'as another version, by its maker, before anything else of it is read',
      { format: good.format, version: 1, versions: { turntable: '0.1.0' } },
      'recorded by Turntable 0.1.0 (format 1); this is 0.2.0 (format 2); replay it with that version',
    ],
    [
      'as another version that does not say who made it',
      { format: good.format, version: 3, versions: 'none' },
      'recorded by another version of Turntable (format 3); this is 0.2.0 (format 2); replay it with that version',
    ],
    ['as no object', [good], 'manifest.json is not the manifest of a recording'],
  ])('%s', (_, value, message) => {
    expect(() => decode(value)).toThrow(message);
  });

  test('cut off at every byte', () => {
    const bytes = encodeManifest(good);
    for (let length = 0; length < bytes.length - 1; length++)
      expect(() => decodeManifest(bytes.subarray(0, length), 'manifest.json')).toThrow(RecordingError);
  });

  test('or read, with any byte changed', () => {
    const bytes = encodeManifest(good);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, value) => {
        const changed = Uint8Array.from(bytes);
        changed[at] = value;
        try {
          decodeManifest(changed, 'manifest.json');
        } catch (error) {
          expect(error).toBeInstanceOf(RecordingError);
        }
      }),
      { numRuns: 2000, seed: 29 },
    );
  });
});

describe('names', () => {
  test('of recordings tell time and process, and sort by time', () => {
    const name = recordingName(new Date('2026-11-21T23:02:07.123Z'), 4711);
    expect(name).toBe('20261121T230207.123Z-4711');
    expect(parseRecordingName(name)).toEqual({ time: Date.parse('2026-11-21T23:02:07.123Z'), pid: 4711 });
    expect(parseRecordingName('20261199T230207.123Z-4711')).toBeUndefined();
    expect(parseRecordingName('something else')).toBeUndefined();
  });

  test('of snapshots tell the phase, each phase by one name', () => {
    fc.assert(
      fc.property(fc.nat(Number.MAX_SAFE_INTEGER), (phase) => {
        expect(parseSnapshotFileName(snapshotFileName(phase))).toBe(phase);
      }),
    );
    expect(snapshotFileName(7)).toBe('0000000007.tts');
    for (const other of ['00000000007.tts', '7.tts', '0000000007.tts.tmp', '.0000000007.tts.tmp'])
      expect(parseSnapshotFileName(other)).toBeUndefined();
  });
});
