/* The bytes of a program's state: whatever is wrong with them is a `TT_STATE` that says so, never another error. */
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeState, encodeState, type ProgramHead } from '../src/state-container.ts';

const HEAP = Buffer.from('what the heap wrote');

const head = {
  transform: '3/1.0.0',
  node: 'v24.21.0',
  main: 'file:///app/main.mjs',
  cwd: '/app',
  root: '/app',
  ownPackages: [['turntable', '/app/node_modules/turntable']],
  asyncOrder: 2,
  inTick: false,
  pendingWork: { jobs: 1, ticks: 0, timers: 0 },
  builtins: ['node:fs'],
  nativeFiles: [],
  usesNetworkClasses: false,
  hasHostCallbacks: false,
  packages: [{ name: 'pg', version: '8.0.0', directory: '/app/node_modules/pg' }],
  devices: [],
  handles: [],
  pendingOperations: [],
  records: [
    {
      key: 'file:///app/main.mjs',
      kind: 'module',
      status: 'evaluated',
      loaded: [null],
      cycleRoot: 0,
      asyncEvaluationOrder: 0,
      asyncParents: [],
      pendingAsyncDependencies: 0,
      originKind: 'module',
      filename: '/app/main.mjs',
      isRegistered: true,
      cells: [],
      namespace: 'real',
      hasMetaObject: false,
      code: {
        kind: 'module',
        hash: 'abc',
        settings: '',
        instance: 0,
        source: null,
        prefix: null,
        id: null,
        functions: [0, 1],
        classes: [],
        uninitialised: ['late'],
      },
    },
  ],
} satisfies ProgramHead;

/** What reading these bytes fails with. */
function decodeError(bytes: Uint8Array): { code?: unknown; message: string } | undefined {
  try {
    decodeState(bytes);
    return undefined;
  } catch (error) {
    return error as { code?: unknown; message: string };
  }
}

/** Bytes that are whole, with another head. */
function encodeHead(changedHead: unknown): Buffer {
  return encodeState(changedHead as ProgramHead, HEAP);
}

describe('the state of a program', () => {
  it('is read as it was written', () => {
    const read = decodeState(encodeState(head, HEAP));
    expect(read.head).toEqual(head);
    expect(Buffer.from(read.heap)).toEqual(HEAP);
  });

  it('is found cut short wherever its head is cut', () => {
    const bytes = encodeState(head, HEAP);
    for (let length = 0; length < bytes.length; length++)
      expect(decodeError(bytes.subarray(0, length))).toMatchObject({ code: 'TT_STATE' });
  });

  it('is found damaged whichever byte of its head is another one', () => {
    const bytes = encodeState(head, HEAP);
    for (let offset = 0; offset < bytes.length; offset++) {
      // Bytes that mean nothing yet, and the heap, which has its own sum.
      if (offset >= 6 && offset < 16 + HEAP.length) continue;
      const flipped = Buffer.from(bytes);
      flipped[offset] = (flipped[offset] as number) ^ 0x11;
      expect(decodeError(flipped), `byte ${offset}`).toMatchObject({ code: 'TT_STATE' });
    }
  });

  it('of another format names both formats', () => {
    const bytes = encodeState(head, HEAP);
    bytes.writeUInt16LE(99, 4);
    expect(decodeError(bytes)?.message).toContain('format 99');
  });

  it('is not believed when its head says what cannot be', () => {
    const record = head.records[0] as (typeof head.records)[number];
    const impossible: unknown[] = [
      null,
      [],
      { ...head, asyncOrder: -1 },
      { ...head, main: 1 },
      { ...head, pendingWork: undefined },
      { ...head, records: {} },
      { ...head, records: [null] },
      { ...head, records: [{ ...record, loaded: [1] }] },
      { ...head, records: [{ ...record, cycleRoot: -1 }] },
      { ...head, records: [{ ...record, status: 'linking' }] },
      { ...head, records: [{ ...record, namespace: true }] },
      { ...head, records: [{ ...record, originKind: 'something' }] },
      { ...head, records: [{ ...record, code: { ...record.code, prefix: 'x; evil()' } }] },
      { ...head, records: [{ ...record, code: { ...record.code, id: '*/ evil() /*' } }] },
      { ...head, records: [{ ...record, code: { ...record.code, functions: ['0'] } }] },
      { ...head, records: [{ ...record, code: { ...record.code, uninitialised: [0] } }] },
    ];
    for (const each of impossible)
      expect(decodeError(encodeHead(each)), JSON.stringify(each)).toMatchObject({ code: 'TT_STATE' });
  });

  it('is not JSON at all', () => {
    const text = Buffer.from('{"transform":');
    const bytes = Buffer.concat([encodeState(head, HEAP).subarray(0, 16), text, Buffer.alloc(8)]);
    bytes.writeUInt32LE(text.length, 16 + text.length);
    bytes.writeUInt32LE(crc32(text), 20 + text.length);
    expect(decodeError(bytes)?.message).toContain('not valid JSON');
  });
});
