import * as core from '@turntable/core';
import * as transform from '@turntable/transform';
import { expect, test } from 'vitest';

const versionOf = (module: object) => (module as { ABI_VERSION?: number }).ABI_VERSION;

test('core and the transform keep the same version of their contract', () => {
  expect(versionOf(transform)).toEqual(expect.any(Number));
  expect(versionOf(core)).toBe(versionOf(transform));
});
