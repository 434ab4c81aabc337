import { readFileSync } from 'node:fs';
import * as core from '@turntable/core';
import * as transform from '@turntable/transform';
import { expect, test } from 'vitest';
import { VERSION } from '../../packages/core/src/abi.ts';

const versionOf = (module: object) => (module as { ABI_VERSION?: number }).ABI_VERSION;

test('core and the transform keep the same version of their contract', () => {
  expect(versionOf(transform)).toEqual(expect.any(Number));
  expect(versionOf(core)).toBe(versionOf(transform));
});

test('core says which version it is of', () => {
  const { version } = JSON.parse(readFileSync('packages/core/package.json', 'utf8')) as { version: string };
  expect(VERSION).toBe(version);
});
