// The reference pages are up to date, and have every setting that the code accepts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SETTINGS_REFERENCE } from '../../packages/loader/src/settings/settings-reference.ts';
import {
  retentionLimitsOf,
  traceSettingOf,
  triggersOf,
} from '../../packages/loader/src/settings/recording-settings.ts';
import { SETTINGS_WITH_VALUE } from '../../packages/turntable/src/commands/settings-flags.ts';
import { apiPage } from '../../scripts/api-reference.ts';
import { configurationPage } from '../../scripts/configuration-reference.ts';
import { root } from '../../scripts/node-release.mjs';

const read = (page: string): string => readFileSync(join(root, page), 'utf8');

test('docs/guide/configuration.md has all settings of the reference', () => {
  expect(read('docs/guide/configuration.md'), 'npm run docs:reference writes it').toBe(configurationPage());
});

test('docs/guide/api.md has all exports with their doc comments', () => {
  expect(read('docs/guide/api.md'), 'npm run docs:reference writes it').toBe(apiPage());
});

test('the reference has every flag', () => {
  const flags = SETTINGS_REFERENCE.map(({ flag = '' }) => flag).join('\n');
  expect(SETTINGS_WITH_VALUE.filter((flag) => !flags.includes(`\`${flag} `))).toEqual([]);
});

test('the examples of the reference are accepted', () => {
  const parsers = { SNAPSHOTS: triggersOf, KEEP: retentionLimitsOf, TRACE: traceSettingOf };
  const examples = SETTINGS_REFERENCE.flatMap(({ variable = '' }) => [
    ...variable.matchAll(/TURNTABLE_(SNAPSHOTS|KEEP|TRACE)=([^`]+)/g),
  ]);
  expect(examples.length).toBeGreaterThan(10);
  for (const [, name, value] of examples)
    expect(() => parsers[name as keyof typeof parsers](value ?? '', `TURNTABLE_${name}`)).not.toThrow();
});
