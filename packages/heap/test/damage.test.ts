// Any bytes give a graph or a HeapError: cut anywhere, with flipped bits (and a repaired checksum, to get past it),
// random and foreign bytes. Seeds are fixed; the memory limit is 64 MB beyond the bytes.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ABI_VERSION, watchAbortListeners } from '@turntable/core';
import { FORMAT_VERSION, HeapError, KnownObjects } from '@turntable/heap';
import { checkForLeaks } from '../../../scripts/test-run/leak-check.ts';
import { checksumOf } from '../src/checksum.ts';
import { graph } from './graphs.ts';
import { testWorld } from './ports.ts';

const world = testWorld();
const MEMORY_LIMIT = 64 << 20;
const KNOWN_CART = { known: 'to one of two worlds' };

/** Reads the bytes. Any failure must be a HeapError with a code. */
function readOutcome(bytes: Uint8Array): string {
  try {
    world.heap.readAll(bytes, { memoryLimit: MEMORY_LIMIT });
    return 'read';
  } catch (error) {
    if (!(error instanceof HeapError)) throw error;
    expect(error.code).toMatch(/^TT_(CORRUPT_STATE|FOREIGN_STATE|STATE_TOO_LARGE)$/);
    return error.code;
  }
}

function repairChecksum(bytes: Uint8Array): Uint8Array {
  const end = bytes.length - 4;
  const sum = checksumOf(bytes, 8, end);
  for (let i = 0; i < 4; i++) bytes[end + i] = (sum >>> (8 * i)) & 0xff;
  return bytes;
}

function languageSample(): object {
  const shared = { here: [1, 2.5, 'text', null] };
  return {
    shared,
    map: new Map<unknown, unknown>([[shared, new Set([1n, 'é漢', Symbol('s')])]]),
    list: [shared, -0, new Date(1), /x/g, new RangeError('r'), new Uint8Array([1, 2, 3]), Object.freeze([1, , 3])], // oxlint-disable-line no-sparse-arrays -- a hole is the point
    weak: new WeakMap([[shared, 'entry']]),
    url: new URL('http://example.com/'),
    money: new Intl.NumberFormat('en'),
    long: 'y'.repeat(90),
    child: Object.create({ inherited: shared }) as object,
    known: Array.prototype.map,
  };
}

/** Objects made by Node. Listeners are objects here, because functions need an adapter. */
function hostSample(): object {
  const controller = new AbortController();
  const either = AbortSignal.any([controller.signal, new AbortController().signal]);
  const target = new EventTarget();
  const listener = { received: 0 } as never;
  target.addEventListener('a', listener, { signal: controller.signal });
  target.addEventListener('b', listener, { once: true, passive: true });
  either.addEventListener('abort', listener);
  const decoder = new TextDecoder();
  decoder.decode(new Uint8Array([0xc3]), { stream: true });
  const event = new CustomEvent('c', { detail: { target }, cancelable: true });
  return { controller, either, target, decoder, event, gone: AbortSignal.abort(), plural: new Intl.PluralRules('en') };
}

/** The same values over several roots that refer to each other. */
function writeInPieces(): Uint8Array {
  const { shared, map, list, weak, child } = languageSample() as Record<string, object>;
  const capture = world.heap.capture({ weak, map });
  capture.run();
  for (const root of [child, [shared, list, weak], 7, { map, again: child }]) capture.add(root);
  return capture.finish();
}

const STATES: [string, () => Uint8Array][] = [
  ['values of the language', () => world.heap.write(languageSample())],
  ['values of the host', () => world.heap.write(hostSample())],
  ['several roots', writeInPieces],
];

watchAbortListeners(AbortSignal.prototype);

test.each(STATES)('cut at every byte: %s', (_, make) => {
  const bytes = make();
  for (let length = 0; length < bytes.length; length++) {
    expect(readOutcome(bytes.slice(0, length))).not.toBe('read');
    readOutcome(length < 16 ? bytes.slice(0, length) : repairChecksum(bytes.slice(0, length)));
  }
});

test.each(STATES)('every single bit flipped, the checksum repaired: %s', (_, make) => {
  const bytes = make();
  let read = 0;
  for (let offset = 8; offset < bytes.length - 4; offset++) {
    for (let bit = 0; bit < 8; bit++) {
      const flipped = bytes.slice();
      flipped[offset]! ^= 1 << bit;
      if (readOutcome(repairChecksum(flipped)) === 'read') read++;
    }
  }
  // Some flips only change a value and must be readable: the others then do not fail too early.
  expect(read).toBeGreaterThan(100);
});

test('flipped bits without a repaired checksum are detected', () => {
  const bytes = world.heap.write(languageSample());
  fc.assert(
    fc.property(fc.integer({ min: 0, max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), (offset, mask) => {
      const flipped = bytes.slice();
      flipped[offset]! ^= mask;
      expect(readOutcome(flipped)).not.toBe('read');
    }),
    { numRuns: 500, seed: 11 },
  );
});

test('random graphs with overwritten bytes give a graph or an error', () => {
  fc.assert(
    fc.property(graph, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 }), (root, edits) => {
      const bytes = world.heap.write(root);
      for (const [offset, value] of edits) bytes[8 + (offset % (bytes.length - 12))] = value;
      readOutcome(repairChecksum(bytes));
    }),
    { numRuns: 3000, seed: 13 },
  );
});

test('random bytes after a valid header give a graph or an error', () => {
  const head = world.heap.write(0).slice(0, 9);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(199), (body, footer) => {
      const bytes = Uint8Array.from([...head, ...body, footer % (body.length + 1), 0, 0, 0, 0, 0, 0, 0]);
      readOutcome(repairChecksum(bytes));
    }),
    { numRuns: 5000, seed: 17 },
  );
});

describe('foreign bytes', () => {
  test.each([
    ['nothing', new Uint8Array(), 'TT_FOREIGN_STATE'],
    ['text', new TextEncoder().encode('{"json": true, "and": "more of it"}'), 'TT_FOREIGN_STATE'],
    ['another format version', edited(4, 99), 'TT_FOREIGN_STATE'],
    ['another ABI version', edited(5, 99), 'TT_FOREIGN_STATE'],
    ['unknown features', edited(6, 1), 'TT_FOREIGN_STATE'],
    ['a wrong checksum', edited(-1, 1), 'TT_CORRUPT_STATE'],
  ])('%s', (_, bytes, code) => expect(readOutcome(bytes)).toBe(code));

  test.each([
    [
      'nothing',
      new Uint8Array(),
      'the state does not start like the state of a heap; restore it with the version and program that wrote it',
    ],
    [
      'another format version',
      edited(4, 99),
      `the state has format version 99, this Turntable reads version ${FORMAT_VERSION}; restore it with the version and program that wrote it`,
    ],
    [
      'another ABI version',
      edited(5, 99),
      `the state has ABI version 99, this Turntable has version ${ABI_VERSION}; restore it with the version and program that wrote it`,
    ],
    [
      'another program',
      testWorld(() => ({ program: 'shop@2' })).heap.write({}),
      'the state belongs to the program "shop@2", not to ""; restore it with the version and program that wrote it',
    ],
    [
      'a name that does not exist here',
      testWorld(({ realm }) => ({
        known: new KnownObjects(realm, { isProxy: () => false, namedObjects: { 'shop:cart': KNOWN_CART } }),
      })).heap.write({ cart: KNOWN_CART }),
      'the state refers to "shop:cart" (byte 20), which does not exist here; restore with the same version of Node and the same modules',
    ],
    [
      'a flipped bit',
      edited(9, 0xff),
      'the state is damaged at byte 25: expected another checksum; restore another snapshot',
    ],
  ])('%s, with this exact message', (_, bytes, message) => {
    let actualMessage = 'was read';
    try {
      world.heap.read(bytes);
    } catch (error) {
      actualMessage = (error as Error).message;
    }
    expect(actualMessage).toBe(message);
  });

  function edited(offset: number, value: number): Uint8Array {
    const bytes = world.heap.write({ a: 1 });
    bytes[offset < 0 ? bytes.length + offset : offset] = value;
    return bytes;
  }
});

test('counts larger than the bytes allocate nothing', () => {
  const bytes = world.heap.write(Array.from({ length: 300 }, () => null));
  const rssBefore = process.memoryUsage().rss;
  for (let offset = 9; offset < 52; offset++) {
    const huge = bytes.slice();
    huge.set([0xff, 0xff, 0xff, 0xff, 0x07], offset);
    readOutcome(repairChecksum(huge));
  }
  checkForLeaks(() => expect(process.memoryUsage().rss - rssBefore).toBeLessThan(200 << 20));
});
