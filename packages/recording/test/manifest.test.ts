// Manifests are read back unchanged, and anything else is refused.
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

test('describes the current process, with the requested environment variables only', () => {
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

test('is read back unchanged', () => {
  const manifest = { ...manifestOf({ notes: { deep: [1, { a: null }] } }), modules: [MODULE] };
  expect(decodeManifest(encodeManifest(manifest), 'manifest.json')).toEqual(manifest);
});

describe('is refused', () => {
  const good = { ...manifestOf(), modules: [MODULE] };
  test.each([
    ['with a missing field', { ...good, cwd: undefined }, 'expected a text in the field cwd'],
    ['with a field of another type', { ...good, argv: ['a', 1] }, 'expected texts in the field argv'],
    ['without an id', { ...good, id: '../..' }, 'expected an id in the field id'],
    ['with missing versions', { ...good, versions: { node: '24' } }, 'expected versions in the field versions'],
    ['with an invalid time', { ...good, created: 'today' }, 'expected a time in the field created'],
    [
      'with a file name instead of a digest',
      { ...good, modules: [{ ...MODULE, sha256: '../../etc/passwd' }] },
      'expected modules with their SHA-256 in the field modules',
    ],
    [
      'of another format',
      { ...good, format: 'something' },
      'manifest.json is not the manifest of a recording; name the directory of a recording',
    ],
    [
      'of another version, before anything else is read',
      { format: good.format, version: 1, versions: { turntable: '0.1.0' } },
      'recorded by Turntable 0.1.0 (format 1); this is 0.2.0 (format 4); replay it with that version',
    ],
    [
      'of another version without its writer’s name',
      { format: good.format, version: 5, versions: 'none' },
      'recorded by another version of Turntable (format 5); this is 0.2.0 (format 4); replay it with that version',
    ],
    [
      'that is not an object',
      [good],
      'manifest.json is not the manifest of a recording; name the directory of a recording',
    ],
  ])('%s', (_, value, message) => {
    expect(() => decode(value)).toThrow(message);
  });

  test.each(['file://host/shop.ts', 'file:///a%2fb', 'file:///%00', 'file:///%ff', 'file://['])(
    'with the URL %s, which is no path',
    (url) => {
      expect(() => decode({ ...good, entry: url })).toThrow('expected a path or URL or null in the field entry');
      expect(() => decode({ ...good, modules: [{ ...MODULE, url }] })).toThrow('in the field modules');
    },
  );

  test('cut off at any byte', () => {
    const bytes = encodeManifest(good);
    for (let length = 0; length < bytes.length - 1; length++)
      expect(() => decodeManifest(bytes.subarray(0, length), 'manifest.json')).toThrow(RecordingError);
  });

  test('with any bit of any byte changed, unless its meaning is the same', () => {
    const bytes = encodeManifest(good);
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const changed = Uint8Array.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      let decoded: Manifest = good;
      try {
        decoded = decodeManifest(changed, 'manifest.json');
      } catch (error) {
        expect(error).toBeInstanceOf(RecordingError);
      }
      expect(decoded, `bit ${bit}`).toEqual(good);
    }
  });

  test('after it was edited, with what to do', () => {
    const edited = Buffer.from(encodeManifest(good)).toString().replace('"execArgv": [', '"execArgv": ["--inspect",');
    expect(() => decodeManifest(Buffer.from(edited), 'manifest.json')).toThrow(
      'manifest.json is damaged at byte 0: expected the checksum of the other fields; the manifest was edited or is damaged; copy the recording again from where it was made',
    );
  });
});

describe('names', () => {
  test('of recordings contain time and process id, and sort by time', () => {
    const name = recordingName(new Date('2026-11-21T23:02:07.123Z'), 4711);
    expect(name).toBe('20261121T230207.123Z-4711');
    expect(parseRecordingName(name)).toEqual({ time: Date.parse('2026-11-21T23:02:07.123Z'), pid: 4711 });
    expect(parseRecordingName('20261199T230207.123Z-4711')).toBeUndefined();
    expect(parseRecordingName('something else')).toBeUndefined();
  });

  test('of snapshots contain the phase in one unique form', () => {
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
