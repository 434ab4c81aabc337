// Changes of known objects at a cut without a full check: exact for objects that changed before, and a confirmation in
// slices for the others.
import { afterEach, expect, it } from 'vitest';
import { createRealm } from '@turntable/core';
import { manualHost } from '../../core/test/manual-host.ts';
import { createEngineView } from '../../loader/src/realm/engine-view.ts';
import { KnownObjects } from '../src/known-objects.ts';

const host = { settings: { depth: 1 }, ask(): void {}, count: 0 };
const realm = createRealm({ ...manualHost(), engine: createEngineView() });
const prototype = Array.prototype as unknown as Record<string, unknown>;

afterEach(() => {
  Reflect.deleteProperty(prototype, 'second');
  Reflect.deleteProperty(prototype, 'third');
  host.settings.depth = 1;
  host.count = 0;
  host.ask.prototype = undefined;
});

function createKnownObjects(): KnownObjects {
  return new KnownObjects(realm, {
    isProxy: () => false,
    namedObjects: { host },
    // The test runner changes its own objects.
    hostChangeFilter: (object, key) => key !== 'count' && [host, host.settings, host.ask].includes(object as never),
  });
}

/** Result of all slices. */
function runConfirmation(confirmation: ReturnType<KnownObjects['confirmation']>): string {
  for (let slices = 1; ; slices++) {
    const found = confirmation(100);
    if (typeof found === 'object') return `changed: ${found.changed}`;
    if (found !== 'more') return `${found} after ${slices === 1 ? 'one' : 'some'}`;
  }
}

function describeLastChanges(objects: KnownObjects): unknown {
  return [...(objects.lastChanges?.language ?? []), ...(objects.lastChanges?.host ?? [])].map(
    ({ object, properties }) => [objects.nameOf(object), ...properties.map(([key, current]) => [key, current?.value])],
  );
}

it('has no result before the first full check', () => {
  const objects = createKnownObjects();
  expect(objects.lastChanges).toBeUndefined();
  objects.changes();
  expect(objects.lastChanges).toEqual({ language: [], host: [] });
});

it('reports an object that changed before exactly, without a confirmation', () => {
  const objects = createKnownObjects();
  prototype['second'] = 2;
  host.settings.depth = 2;
  objects.changes();
  prototype['second'] = 'two';
  Reflect.deleteProperty(host.settings, 'depth');
  const confirmation = objects.confirmation();
  expect(describeLastChanges(objects)).toEqual([
    ['Array.prototype', ['second', 'two']],
    ['host.settings', ['depth', undefined]],
  ]);
  prototype['second'] = 3;
  host.settings.depth = 1;
  expect(runConfirmation(confirmation)).toBe('same after some');
});

it.each<[string, string, () => void]>([
  ['the language’s', 'Array.prototype.second', () => void (prototype['second'] = 2)],
  ['the host’s', 'host.settings.depth', () => void (host.settings.depth = 3)],
  ['a function', 'host.ask.note', () => void Reflect.set(host.ask, 'note', true)],
])('detects the first change of an object of %s, and reports it from then on', (_, what, change) => {
  const objects = createKnownObjects();
  objects.changes();
  change();
  expect(describeLastChanges(objects)).toEqual([]);
  expect(runConfirmation(objects.confirmation())).toBe(`changed: ${what}`);
  expect(describeLastChanges(objects)).toHaveLength(1);
  expect(runConfirmation(objects.confirmation())).toBe('same after some');
});

it('includes a change that another check found after the start', () => {
  const objects = createKnownObjects();
  objects.changes();
  const [first, second] = [objects.confirmation(), objects.confirmation()];
  prototype['third'] = 3;
  expect(runConfirmation(first)).toMatch(/^changed/);
  expect(runConfirmation(second)).toMatch(/^changed/);
});

it('finds changes between two slices, and ignores those of the host', () => {
  const objects = createKnownObjects();
  objects.changes();
  const confirmation = objects.confirmation();
  expect(confirmation(10)).toBe('more');
  host.count = 7;
  expect(runConfirmation(confirmation)).toBe('same after some');
  const another = objects.confirmation();
  expect(another(1)).toBe('more');
  host.settings.depth = 4;
  expect(runConfirmation(another)).toMatch(/^changed/);
});
