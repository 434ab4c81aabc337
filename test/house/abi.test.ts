import { readFileSync } from 'node:fs';
import * as core from '@turntable/core';
import * as transform from '@turntable/transform';
import { expect, test } from 'vitest';
import { VERSION } from '../../packages/core/src/abi.ts';
import { VERSION as RECORDING_VERSION } from '../../packages/recording/src/version.ts';

const versionOf = (module: object) => (module as { ABI_VERSION?: number }).ABI_VERSION;

test('core and the transform have the same ABI version', () => {
  expect(versionOf(transform)).toEqual(expect.any(Number));
  expect(versionOf(core)).toBe(versionOf(transform));
});

test.each([
  ['core', VERSION],
  ['recording', RECORDING_VERSION],
])('%s exports the version of its manifest', (name, stated) => {
  const { version } = JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8')) as { version: string };
  expect(stated).toBe(version);
});
