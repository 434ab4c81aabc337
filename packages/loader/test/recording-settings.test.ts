// Settings of recordings, as text and as objects.
import { describe, expect, it } from 'vitest';
import {
  bytesOf,
  durabilityOf,
  isRetentionLimits,
  isSnapshotTriggers,
  isTraceSetting,
  millisecondsOf,
  retentionLimitsOf,
  traceSettingOf,
  triggersOf,
} from '../src/settings/recording-settings.ts';
import { SETTINGS_REFERENCE } from '../src/settings/settings-reference.ts';
import { loaderOptions } from '../src/settings/options.ts';

describe('a setting', () => {
  it.each<[unknown, number | undefined]>([
    [1, 1],
    [0.5, 0.5],
    [0, undefined],
    [-1, undefined],
    [Number.NaN, undefined],
    ['1', 1],
    ['0', undefined],
    ['1ms', 1],
    ['2s', 2000],
    ['1.5 m', 90_000],
    [' 1H ', 3_600_000],
    ['1d', 86_400_000],
    ['1w', undefined],
    ['s', undefined],
    ['1s1', undefined],
    ['-1s', undefined],
    ['', undefined],
    [true, undefined],
    [null, undefined],
  ])('has for the duration %j %j milliseconds', (value, milliseconds) => {
    expect(millisecondsOf(value)).toBe(milliseconds);
  });

  it.each<[unknown, number | undefined]>([
    [7, 7],
    [0, undefined],
    ['7', 7],
    ['7b', 7],
    ['2kb', 2048],
    ['2K', 2048],
    ['1mb', 2 ** 20],
    ['1m', 2 ** 20],
    ['2GB', 2 ** 31],
    ['2g', 2 ** 31],
    ['1ms', undefined],
  ])('has for the size %j %j bytes', (value, bytes) => {
    expect(bytesOf(value)).toBe(bytes);
  });

  it.each<[unknown, boolean]>([
    [{}, true],
    [{ every: '30s', work: 1, turns: 1, requests: 1, trace: '1MB', signal: 'SIGUSR2', end: false }, true],
    [{ every: 2 ** 31 - 1 }, true],
    [{ every: 2 ** 31 }, false],
    [{ every: 'soon' }, false],
    [{ work: 'soon' }, false],
    [{ turns: 0 }, false],
    [{ turns: 1.5 }, false],
    [{ turns: '1' }, false],
    [{ requests: -1 }, false],
    [{ trace: 'much' }, false],
    [{ signal: 'SIGNONE' }, false],
    [{ signal: 1 }, false],
    [{ signal: 'toString' }, false],
    [{ end: 1 }, false],
    [{ other: 1 }, false],
    [{ toString: true }, false],
    [null, false],
    ['end', false],
    [undefined, false],
  ])('accepts as triggers of snapshots %j: %j', (value, isValid) => {
    expect(isSnapshotTriggers(value)).toBe(isValid);
  });

  it.each<[unknown, boolean]>([
    [{ count: 1, age: '1d', bytes: 'unlimited', recordings: 1, total: '1GB', failed: true }, true],
    [{ count: 0 }, false],
    [{ age: 'unlimited' }, false],
    [{ bytes: 'much' }, false],
    [{ recordings: 1.5 }, false],
    [{ total: 0 }, false],
    [{ total: 'unlimited' }, true],
    [{ failed: 'yes' }, false],
    [null, false],
  ])('accepts as retention %j: %j', (value, isValid) => {
    expect(isRetentionLimits(value)).toBe(isValid);
  });

  it.each<[unknown, boolean]>([
    [true, true],
    [false, true],
    ['later', true],
    ['sooner', false],
    [1, false],
    [null, false],
    [{ later: 'SIGUSR2' }, true],
    [{ later: 'SIGNONE' }, false],
    [{ later: 'SIGUSR2', end: true }, false],
    [{}, false],
  ])('accepts as trace %j: %j', (value, isValid) => {
    expect(isTraceSetting(value)).toBe(isValid);
  });

  it('of a variable is parsed, or refused with its name and an example', () => {
    expect(['1', '0', 'later', 'later=SIGUSR2'].map((text) => traceSettingOf(text, 'X'))).toEqual([
      true,
      false,
      'later',
      { later: 'SIGUSR2' },
    ]);
    for (const text of ['', '2', 'later=', 'later=SIGNONE', 'SIGUSR2', 'earlier=SIGUSR2'])
      expect(() => traceSettingOf(text, 'TURNTABLE_TRACE'), text).toThrow(
        `TURNTABLE_TRACE must be 1, 0, later, or later=SIGUSR2, not ${JSON.stringify(text)}`,
      );
    expect(['none', 'reply', 'reply+fsync'].map((text) => durabilityOf(text, 'X'))).toEqual([
      'none',
      'reply',
      'reply+fsync',
    ]);
    for (const text of ['', 'fsync', 'toString'])
      expect(() => durabilityOf(text, 'TURNTABLE_DURABILITY'), text).toThrow(
        '--durability (or TURNTABLE_DURABILITY) must be none, reply or reply+fsync, not ',
      );
    expect(triggersOf(' every = 30s , turns= 5 ,end,, requests=7', 'X')).toEqual({
      every: '30s',
      turns: 5,
      end: true,
      requests: 7,
    });
    expect(triggersOf('', 'X')).toEqual({});
    expect(retentionLimitsOf('count=5,recordings=6,failed,age=7', 'X')).toEqual({
      count: 5,
      recordings: 6,
      failed: true,
      age: '7',
    });
    expect(() => triggersOf('turns=x', 'TURNTABLE_SNAPSHOTS')).toThrow(
      '--snapshots (or TURNTABLE_SNAPSHOTS) must be a list such as every=30s',
    );
    expect(() => retentionLimitsOf('count=1x', 'TURNTABLE_KEEP')).toThrow(
      '--keep (or TURNTABLE_KEEP) must be a list such as count=20',
    );
  });

  it('to record later is a recording', () => {
    const recordingsOf = (variables: Record<string, string>): unknown => loaderOptions({}, variables).recordings;
    expect(recordingsOf({ TURNTABLE_TRACE: 'later' })).toEqual(recordingsOf({ TURNTABLE_TRACE: '1' }));
    expect(recordingsOf({ TURNTABLE_TRACE: 'later=SIGUSR2' })).not.toBe(false);
    expect(recordingsOf({ TURNTABLE_TRACE: '0' })).toBe(false);
  });

  it('is in the reference with its key, variable, flag and default', () => {
    const row = (config: string): unknown => SETTINGS_REFERENCE.find((each) => each.config === config);
    expect(row("`snapshots: { every: '30s' }`")).toEqual({
      config: "`snapshots: { every: '30s' }`",
      variable: '`TURNTABLE_SNAPSHOTS=every=30s`',
      flag: '`--snapshots every=30s`',
      defaultText: 'off',
      meaning: 'take [snapshots](record.md#snapshots): interval',
    });
    expect(row('`snapshots: { turns: 100000 }`')).toMatchObject({ variable: '`TURNTABLE_SNAPSHOTS=turns=100000`' });
    expect(row('`snapshots: { end: true }`')).toMatchObject({ flag: '`--snapshots end`', defaultText: 'off' });
    expect(row("`keep: { bytes: '2GB' }`")).toMatchObject({
      flag: '`--keep bytes=2GB`',
      defaultText: '`2GB`',
      meaning: expect.stringContaining('retention'),
    });
    expect(row('`keep: { failed: true }`')).toMatchObject({ variable: '`TURNTABLE_KEEP=failed`' });
  });
});
