// A sealed recording is refused if anything of it was changed, and never because its process was killed.
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { tmpdir } from 'node:os';
import { listRecordings, openRecording, RecordingError } from '@turntable/recording';
import { packRecording, redactRecording, unpackRecording } from '@turntable/recording/packed';
import { Redaction } from '@turntable/recording/redaction';
import { distinctStates, readCalls, writeState } from '../../../test/recordings/directory-states.ts';
import { inSoak } from '../../../scripts/test-run/soak.ts';
import { withChecks } from '../src/checked-json.ts';
import { encodeManifest, type Manifest } from '../src/manifest.ts';
import { ModuleLog } from '../src/module-log.ts';
import { sha256Of } from '../src/module-sources.ts';
import { readManifest } from '../src/recordings.ts';
import { KEY_VARIABLE } from '../src/sealed/key.ts';
import { RecordingSeal } from '../src/sealed/recording-seal.ts';
import { contents, makeRecording } from './packed.ts';
import { runWithFault, sourceOf } from './fixtures/faulty-run.ts';
import { takeAll } from './traces.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-recording-'));
const keyFile = join(directory, 'key');
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function setKeyFile(file: string | undefined): void {
  if (file === undefined) delete process.env[KEY_VARIABLE];
  else process.env[KEY_VARIABLE] = file;
}

const NO_FAULT = { kind: 'EIO', at: 0 } as const;
let copies = 0;
let ended: string;
let other: string;

/** Makes a recording with all kinds of files. @param log file for the calls of its writer */
async function record(name: string, log?: string): Promise<string> {
  const fault = { ...NO_FAULT, counter: new SharedArrayBuffer(4), ...(log !== undefined && { log }) };
  const { directory: made, errors } = await runWithFault(join(directory, name), fault);
  expect(errors).toEqual([]);
  return made;
}

function copyOf(recording: string): string {
  const copy = join(directory, `copy-${copies++}`, basename(recording));
  cpSync(recording, copy, { recursive: true });
  return copy;
}

/** All that a recording holds. @throws {RecordingError} if a part is not as it was written */
function readAll(recordingPath: string): unknown {
  const recording = openRecording(recordingPath);
  const { manifest } = recording;
  const sources = manifest.modules.map(({ sha256 }) => recording.source(sha256));
  const snapshots = recording.phases().map((phase) => {
    using snapshot = recording.readSnapshot(phase);
    return snapshot.parts.map((part) => Buffer.from(part.read()).toString('hex'));
  });
  const traces = recording.traces().map(({ worker, epoch }) => {
    const trace = recording.trace(worker, epoch);
    const events = takeAll(trace);
    return [events, trace.end];
  });
  return { manifest, sources, snapshots, traces };
}

function refusalOf(recordingPath: string): { readonly code: string; readonly message: string } | undefined {
  try {
    readAll(recordingPath);
    return undefined;
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    return { code: error.code, message: error.message };
  }
}

function filesOf(recordingPath: string): string[] {
  return Object.keys(contents(recordingPath)).filter((name) => name !== 'manifest.json');
}

/** Writes a manifest as someone without the key can: with the seal of the old one, and a checksum. */
function forgeManifest(recordingPath: string, change: (manifest: Manifest) => object): void {
  const { seal, ...manifest } = readManifest(recordingPath);
  const forged = withChecks({ ...manifest, seal, ...change(manifest) } as object, 'manifest', undefined);
  writeFileSync(join(recordingPath, 'manifest.json'), JSON.stringify(forged));
}

beforeAll(async () => {
  writeFileSync(keyFile, randomBytes(32));
  setKeyFile(keyFile);
  ended = await record('ended', join(directory, 'calls'));
  other = await record('other');
  setKeyFile(undefined);
});
beforeEach(() => setKeyFile(keyFile));
afterEach(() => setKeyFile(undefined));

test('a sealed recording is verified with its key', () => {
  const recording = openRecording(ended);
  expect([recording.isSealed, recording.isUnverified]).toEqual([true, false]);
  expect(refusalOf(ended)).toBeUndefined();
  setKeyFile(undefined);
  expect([openRecording(ended).isSealed, openRecording(ended).isUnverified]).toEqual([true, true]);
});

describe('a manifest is refused', () => {
  const fields =
    'id created ended endReason restoredFrom epoch pid host versions timeZone locale platform argv execArgv env cwd entry workers devices notes modules files'.split(
      ' ',
    ) as readonly (keyof Manifest)[];
  const others: Partial<Record<keyof Manifest, unknown>> = {
    id: '00'.repeat(16),
    created: '2001-01-01T00:00:00.000Z',
    ended: null,
    restoredFrom: { recording: '/other', phase: 1 },
    execArgv: ['--import', 'data:text/javascript,console.log(1)'],
    entry: 'file:///other.js',
    env: { NODE_OPTIONS: '--inspect' },
  };

  test.each(fields)('if its field %s was edited', (field) => {
    const copy = copyOf(ended);
    forgeManifest(copy, (manifest) => {
      const value = manifest[field];
      const changed = Array.isArray(value) ? [...value, ...value, ...(value.length === 0 ? ['x'] : [])] : `${value}0`;
      const next = typeof value === 'number' ? value + 1 : typeof value === 'object' ? { ...value, icu: '1' } : changed;
      if (Object.hasOwn(others, field)) return { [field]: others[field] };
      return { [field]: value === null ? 'x' : Array.isArray(value) ? changed : next };
    });
    // The id is a part of the check of the key.
    expect(refusalOf(copy)?.message).toContain(
      field === 'id' ? 'manifest.json is sealed with another key' : 'manifest.json was changed after it was sealed',
    );
  });

  test('if a field was added, which is shown without the key', () => {
    const copy = copyOf(ended);
    forgeManifest(copy, () => ({ redacted: ['a'] }));
    expect(refusalOf(copy)).toEqual({
      code: 'TT_RECORDING_SEAL',
      message: `${join(copy, 'manifest.json')} was changed after it was sealed; it is damaged or was edited; copy the recording again from where it was made`,
    });
    setKeyFile(undefined);
    expect(openRecording(copy).manifest.redacted).toEqual(['a']);
  });

  test('if it is that of another recording with the same key', () => {
    const copy = copyOf(ended);
    copyFileSync(join(other, 'manifest.json'), join(copy, 'manifest.json'));
    expect(refusalOf(copy)).toMatchObject({
      code: 'TT_RECORDING_SEAL',
      message: expect.stringContaining('belongs to another recording') as string,
    });
  });

  test('if its seal was removed', () => {
    const copy = copyOf(ended);
    writeFileSync(join(copy, 'manifest.json'), encodeManifest(readManifest(copy)));
    expect(refusalOf(copy)).toMatchObject({
      code: 'TT_RECORDING_SEAL',
      message: expect.stringMatching(
        /manifest.json has no seal, but a key was given; .* open it without --key/,
      ) as string,
    });
  });

  test('if it is missing', () => {
    const copy = copyOf(ended);
    rmSync(join(copy, 'manifest.json'));
    expect(refusalOf(copy)?.code).toBe('TT_RECORDING_MISSING');
  });

  test('if the recording was replaced by one without a seal', () => {
    const unsealed = makeRecording(join(directory, `copy-${copies++}`));
    expect(refusalOf(unsealed)?.code).toBe('TT_RECORDING_SEAL');
    setKeyFile(undefined);
    expect(refusalOf(unsealed)).toBeUndefined();
  });
});

describe('files are refused', () => {
  test('of another recording with the same key, in place of their own or added', () => {
    for (const name of filesOf(ended)) {
      const copy = copyOf(ended);
      copyFileSync(join(other, name), join(copy, name));
      expect(refusalOf(copy), name).toMatchObject({
        code: 'TT_RECORDING_SEAL',
        message: expect.stringContaining('belongs to another recording, or to another place in this one') as string,
      });
    }
    const copy = copyOf(ended);
    copyFileSync(join(other, 'snapshots/0000000004.tts'), join(copy, 'snapshots/0000000009.tts'));
    expect(refusalOf(copy)?.code).toBe('TT_RECORDING_SEAL');
  });

  test('under the name of another one, or a new name', () => {
    const names = filesOf(ended);
    for (const name of names) {
      for (const target of names.filter((each) => each !== name)) {
        const copy = copyOf(ended);
        copyFileSync(join(ended, name), join(copy, target));
        expect(refusalOf(copy)?.code, `${name} as ${target}`).toBe('TT_RECORDING_SEAL');
      }
    }
    const copy = copyOf(ended);
    copyFileSync(join(copy, 'traces/0000000003-0.0.ttt'), join(copy, 'traces/0000000007-1.0.ttt'));
    expect(refusalOf(copy)?.code).toBe('TT_RECORDING_SEAL');
  });

  test('without a seal', () => {
    const unsealed = makeRecording(join(directory, `copy-${copies++}`));
    for (const [from, to] of [
      ['traces/0000000000-0.0.ttt', 'traces/0000000003-0.0.ttt'],
      ['snapshots/0000000007.tts', 'snapshots/0000000004.tts'],
    ] as const) {
      const copy = copyOf(ended);
      copyFileSync(join(unsealed, from), join(copy, to));
      expect(refusalOf(copy)).toMatchObject({
        code: 'TT_RECORDING_SEAL',
        message: expect.stringContaining('is not sealed, but its recording is') as string,
      });
    }
  });

  test('that are missing or cut off after the end', () => {
    for (const name of filesOf(ended).filter((each) => !each.startsWith('sources/'))) {
      const removed = copyOf(ended);
      rmSync(join(removed, name));
      expect(refusalOf(removed)).toMatchObject({
        code: 'TT_RECORDING_SEAL',
        message: expect.stringContaining(`is not as it ended: ${name} is missing; a file was removed`) as string,
      });
      const cut = copyOf(ended);
      truncateSync(join(cut, name), readFileSync(join(cut, name)).length - 1);
      expect(refusalOf(cut)?.message).toContain(`${name} is cut off`);
    }
  });

  test('with blocks exchanged, repeated, left out or added', () => {
    const name = 'traces/0000000000-0.0.ttt';
    const traced = copyOf(ended);
    const [oldest] = readdirSync(join(traced, 'traces')).toSorted();
    const path = join(traced, 'traces', oldest ?? name);
    const bytes = readFileSync(path);
    const starts: number[] = [];
    for (let at = 44; at < bytes.length; at += 8 + bytes.readUInt32LE(at) + 16) starts.push(at);
    const blocks = starts.map((start, i) => bytes.subarray(start, starts[i + 1]));
    const header = bytes.subarray(0, 44);
    expect(blocks.length).toBeGreaterThan(2);
    const [first, second, ...rest] = blocks as [Buffer, Buffer, ...Buffer[]];
    for (const order of [
      [second, first, ...rest],
      [first, first, second, ...rest],
      [first, ...rest],
      [...blocks, first],
      [...blocks, Buffer.from('0500000000000000', 'hex')],
    ]) {
      writeFileSync(path, Buffer.concat([header, ...order]));
      expect(refusalOf(traced)?.code).toMatch(/^TT_RECORDING(?:_SEAL)?$/);
    }
  });

  test('with any bit changed', () => {
    for (const name of filesOf(ended)) {
      const copy = copyOf(ended);
      const bytes = readFileSync(join(copy, name));
      for (let at = 0; at < bytes.length; at += at < 120 ? 1 : 97) {
        const flipped = Buffer.from(bytes);
        flipped[at]! ^= 1 << (at % 8);
        writeFileSync(join(copy, name), flipped);
        expect(refusalOf(copy)?.code, `${name} at ${at}`).toMatch(/^TT_RECORDING/);
      }
    }
  });
});

describe('when the process is killed before, after or within a file system call', () => {
  /** Directories of the recording in each state that a kill leaves, in order. */
  let states: readonly string[];

  beforeAll(() => {
    mkdirSync(join(directory, 'repeated'));
    const all = distinctStates(readCalls(join(directory, 'calls')), dirname(ended), join(directory, 'repeated'));
    states = all.flatMap((state, index) => {
      const target = join(directory, 'states', String(index));
      writeState(state, target);
      return listRecordings(target).map((each) => each.directory);
    });
  });

  test('the recording is verified and can be read', () => {
    expect(states.length).toBeGreaterThan(50);
    const refused = states.flatMap((state) => refusalOf(state)?.message ?? []);
    expect(refused).toEqual([]);
    const endings = states.map((state) => openRecording(state).manifest.ended !== null);
    expect([...new Set(endings)]).toEqual([false, true]);
  });

  test('a packed copy is verified, too', async () => {
    const logged = states.filter((state) => existsSync(join(state, 'modules.jsonl')));
    for (const state of [logged[5], logged.at(-1)].filter((each) => each !== undefined)) {
      const file = join(directory, `packed-${copies++}.ttr`);
      await packRecording(state, file);
      const unpacked = await unpackRecording(file, join(directory, `unpacked-${copies++}`));
      expect(readAll(unpacked.directory)).toEqual(readAll(state));
    }
  });
});

describe('a module log is refused', () => {
  let logged: string;
  let lines: readonly string[];
  beforeAll(() => {
    setKeyFile(keyFile);
    logged = copyOf(ended);
    const { id, modules } = readManifest(logged);
    const log = new ModuleLog(logged, new RecordingSeal(id));
    for (const i of [0, 1])
      log.append({ url: `file:///late-${i}.ts`, sha256: sha256Of(sourceOf(1)) }, modules.length + i);
    log.close();
    lines = readFileSync(log.path, 'utf8').split('\n').slice(0, -1);
  });

  function refusalWithLog(text: string): string | undefined {
    const copy = copyOf(logged);
    writeFileSync(join(copy, 'modules.jsonl'), text);
    return refusalOf(copy)?.message;
  }

  test('if a line was edited', () => {
    const { checksum: _, ...line } = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
    const edited = JSON.stringify(withChecks({ ...line, url: 'file:///x.ts' } as object, 'module', undefined));
    expect(refusalWithLog(`${edited}\n`)).toContain('modules.jsonl was changed after it was sealed');
  });

  test.each([
    ['longer', (tag: string): unknown => `${tag}00`],
    ['shorter', (tag: string): unknown => tag.slice(0, 20)],
    ['no text', (): unknown => 7],
  ])('if the tag of a line is %s', (_, tagOf) => {
    const { checksum: __, ...line } = JSON.parse(lines[0] ?? '') as { checksum: string; seal: string };
    const edited = JSON.stringify(withChecks({ ...line, seal: tagOf(line.seal) } as object, 'module', undefined));
    expect(refusalWithLog(`${edited}\n`)).toContain('modules.jsonl is damaged at byte 0');
  });

  test('if a line is missing before another one', () => {
    expect(refusalWithLog(`${lines.join('\n')}\n`)).toBeUndefined();
    expect(refusalWithLog(`${lines[1]}\n`)).toContain('modules.jsonl lacks the line of module 4');
  });

  test('but not if its last line was cut off anywhere, or zeros follow', () => {
    const text = `${lines[0]}\n`;
    for (let length = 0; length < text.length; length++)
      expect(refusalWithLog(text.slice(0, length)), `${length}`).toBeUndefined();
    expect(refusalWithLog(`${text}${'\0'.repeat(100)}`)).toBeUndefined();
    expect(refusalWithLog(`${text.slice(0, 20)}${'\0'.repeat(100)}`)).toBeUndefined();
  });

  test('if any bit was changed, without the key too', () => {
    setKeyFile(undefined);
    const copy = copyOf(logged);
    const expected = openRecording(copy).manifest;
    expect(expected.modules.length).toBe(6);
    const bytes = readFileSync(join(copy, 'modules.jsonl'));
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      writeFileSync(join(copy, 'modules.jsonl'), flipped);
      let found: Manifest = expected;
      try {
        found = openRecording(copy).manifest;
      } catch (error) {
        expect(error).toBeInstanceOf(RecordingError);
      }
      expect(found, `bit ${bit}`).toEqual(expected);
    }
  });
});

test(
  'a recording whose disk failed at any call is verified and can be read',
  async () => {
    const calls = readCalls(join(directory, 'calls')).length;
    for (const kind of ['ENOSPC', 'short'] as const)
      for (let at = 1; at <= calls; at += inSoak(60, 1)) {
        const fault = { kind, at, counter: new SharedArrayBuffer(4) };
        const { directory: made } = await runWithFault(join(directory, `${kind}-${at}`), fault);
        if (existsSync(made)) expect(refusalOf(made), `${kind} at ${at}`).toBeUndefined();
      }
  },
  inSoak(120_000, 3_600_000),
);

test('a redacted copy is sealed by itself, and its files cannot take the place of those of the recording', () => {
  const target = join(directory, `copy-${copies++}`, 'redacted');
  mkdirSync(dirname(target));
  redactRecording(openRecording(ended), target, new Redaction(['cookie']));
  expect(refusalOf(target)).toBeUndefined();
  expect(openRecording(target).isSealed).toBe(true);
  const copy = copyOf(ended);
  const [trace = ''] = readdirSync(join(target, 'traces'));
  copyFileSync(join(target, 'traces', trace), join(copy, 'traces', trace));
  expect(refusalOf(copy)?.message).toContain('belongs to another recording');
});

test('a recording can be moved and renamed', () => {
  const copy = copyOf(ended);
  const moved = join(dirname(copy), 'yesterday');
  renameSync(copy, moved);
  appendFileSync(join(moved, 'notes.txt'), 'not a part of the recording');
  expect(refusalOf(moved)).toBeUndefined();
});
