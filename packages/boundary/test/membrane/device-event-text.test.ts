// Tests the texts of the membrane's events, as `turntable inspect --trace` prints them.
import { describe, expect, it } from 'vitest';
import type { TapeValue } from '@turntable/core';
import { DeviceEventText } from '../../src/membrane/device-event-text.ts';
import { MEMBRANE_EVENT, OP, OP_FLAG, VALUE_FORM } from '../../src/membrane/encoding.ts';

/** Text of the result of a call, without the call. */
function valueText(value: TapeValue, text = new DeviceEventText(true)): string {
  return text.outcome([0, OP.apply, value]).replace('a call → ', '');
}

const newHandle = (label: string): TapeValue => [VALUE_FORM.newHandle, 0, label, null];

describe('a value', () => {
  it.each<[string, TapeValue, string]>([
    ['a text', 'tea', "'tea'"],
    ['a number', -0, '-0'],
    ['undefined', undefined, 'undefined'],
    ['one byte', Uint8Array.of(1), '1 byte'],
    ['no bytes', new Uint8Array(), '0 bytes'],
    ['bytes', [VALUE_FORM.bytes, 0, Uint8Array.of(1, 2)], '2 bytes'],
    ['a program object', [VALUE_FORM.exported, 7], "the program's 7"],
    ['an object of a builtin', [VALUE_FORM.static, 'fs.readFile'], 'fs.readFile#0'],
    ['an alias of a builtin', [VALUE_FORM.static, '!fs.readFile'], 'fs.readFile#0'],
    ['a shared object', [VALUE_FORM.neutral, 'core.Array'], 'core.Array'],
    ['a surrogate', [VALUE_FORM.surrogate, 2, 'GET', '/'], "hand-made 2#0('GET', '/')"],
    ['a surrogate without values', [VALUE_FORM.surrogate, 2], 'hand-made 2#0'],
    ['a record', [VALUE_FORM.plain, false, 'a', 1, 'b', 'two'], "{ a: 1, b: 'two' }"],
    ['an empty record', [VALUE_FORM.plain, true], '{}'],
    [
      'a record with a symbol',
      [VALUE_FORM.plain, false, [VALUE_FORM.symbol, 'iterator'], 1],
      '{ Symbol(iterator): 1 }',
    ],
    ['a list', [VALUE_FORM.array, 1, [VALUE_FORM.hole], 3], '[1, , 3]'],
    ['an empty list', [VALUE_FORM.array], '[]'],
    ['a list of six', [VALUE_FORM.array, 1, 2, 3, 4, 5, 6], '[1, 2, 3, 4, 5, 6]'],
    ['a list of seven', [VALUE_FORM.array, 1, 2, 3, 4, 5, 6, 7], '[1, 2, 3, 4, 5, 6, …]'],
    [
      'nested lists',
      [
        VALUE_FORM.array,
        [VALUE_FORM.array, [VALUE_FORM.array, [VALUE_FORM.array, 1], [VALUE_FORM.plain, false, 'a', 1]]],
      ],
      '[[[[…], { … }]]]',
    ],
    [
      'nested records',
      [
        VALUE_FORM.plain,
        false,
        'a',
        [VALUE_FORM.plain, false, 'b', [VALUE_FORM.plain, false, 'c', [VALUE_FORM.array, 1]]],
      ],
      '{ a: { b: { c: […] } } }',
    ],
    ['rows', [VALUE_FORM.rows, false, 3, 'a', [1, 2, 3]], '3 records'],
    ['an error', [VALUE_FORM.error, 'TypeError', 'wrong'], 'TypeError: wrong'],
    ['a promise', [VALUE_FORM.promise], 'a promise'],
    ['a date', [VALUE_FORM.date, 0], '1970-01-01T00:00:00.000Z'],
    ['a symbol', [VALUE_FORM.symbol, 'iterator'], 'Symbol(iterator)'],
    ['a symbol of one side', [VALUE_FORM.ownSymbol, 4, 'mine'], 'Symbol(mine)'],
    ['a reason', [VALUE_FORM.abortReason, 5], "why the program's 5 was aborted"],
    ['an unknown form', [99, 1], '[ 99, 1 ]'],
  ])('is readable: %s', (_, value, expected) => {
    expect(valueText(value)).toBe(expected);
  });

  it('names each new host object by its class and number', () => {
    const text = new DeviceEventText(true);
    expect(valueText(newHandle('Socket'), text)).toBe('Socket#0');
    expect(valueText(newHandle(''), text)).toBe('object#1');
    // A prototype has a number of its own.
    expect(valueText([VALUE_FORM.newHandle, 0, 'Server', newHandle('Prototype')], text)).toBe('Server#2');
    expect(valueText(newHandle('Socket'), text)).toBe('Socket#4');
    expect([0, 1, 2, 3, 4, 5].map((number) => valueText([VALUE_FORM.handle, number], text))).toEqual([
      'Socket#0',
      'object#1',
      'Server#2',
      'Prototype#3',
      'Socket#4',
      '#5',
    ]);
    // Members that are not shown have numbers, too.
    const members = ['A', 'B', 'C', 'D', 'E', 'F', 'G'].map(newHandle);
    expect(valueText([VALUE_FORM.array, ...members], text)).toBe('[A#5, B#6, C#7, D#8, E#9, F#10, …]');
    expect(valueText([VALUE_FORM.handle, 11], text)).toBe('G#11');
  });

  it('has the class of a host object that a trace describes again after a cut', () => {
    const text = new DeviceEventText(false);
    expect(valueText(newHandle('Socket'), text)).toBe('Socket');
    expect(valueText([VALUE_FORM.handle, 3], text)).toBe('#3');
    expect(valueText([VALUE_FORM.handle, 3, 0, 'Server'], text)).toBe('Server#3');
    expect(valueText([VALUE_FORM.handle, 3, 0, 'Other'], text)).toBe('Server#3');
    expect(valueText([VALUE_FORM.handle, 4, 0, ''], text)).toBe('object#4');
    expect(valueText([VALUE_FORM.handle, 3], text)).toBe('Server#3');
  });
});

describe('a host call', () => {
  const outcome = (...value: TapeValue[]): string => new DeviceEventText(true).outcome(value);

  it('has its operation, key, result, and the number of predicted calls before it', () => {
    expect(outcome(0, OP.apply, 1)).toBe('a call → 1');
    expect(outcome(0, OP.get, 1, 'port')).toBe('property port → 1');
    expect(outcome(0, OP.get, 1, [VALUE_FORM.symbol, 'iterator'])).toBe('property Symbol(iterator) → 1');
    expect(outcome(1, OP.has, true, 'a')).toBe('has a → true, after 1 predicted');
    expect(outcome(12, OP.construct, newHandle('Socket'))).toBe('new → Socket#0, after 12 predicted');
    expect(outcome(0, OP.invoke | OP_FLAG.threw, [VALUE_FORM.error, 'Error', 'failed'], 'send')).toBe(
      'a call send throws Error: failed',
    );
  });

  it('is preceded by the callbacks during it', () => {
    expect(outcome(0, OP.apply | OP_FLAG.callback, 3, undefined, 1, 'two')).toBe("calls object 3(1, 'two')");
    expect(outcome(0, OP.get | OP_FLAG.callback, 3, 'name')).toBe("get of object 3: 'name'");
    expect(outcome(0, MEMBRANE_EVENT.shown, 1, Uint8Array.of(1))).toBe('writes 1 byte to standard output');
    expect(outcome(0, MEMBRANE_EVENT.aborted, [VALUE_FORM.handle, 2])).toBe('aborts #2: its client is gone');
  });
});

describe('a host callback', () => {
  const entry = (id: number, ...value: TapeValue[]): string => new DeviceEventText(true).entry(id, value);
  /** Entry of a call in a context, which the text does not show. */
  const call = (code: number, ...values: TapeValue[]): string => entry(3, code, 1, ...values);

  it('has its function, receiver and arguments', () => {
    expect(call(OP.apply, undefined)).toBe('calls object 3()');
    expect(call(OP.apply, [VALUE_FORM.exported, 4], 1, 2)).toBe("calls object 3(1, 2) of the program's 4");
    expect(call(OP.apply | OP_FLAG.chained | OP_FLAG.microtask, undefined, 1)).toBe('calls object 3(1)');
    expect(call(OP.apply | OP_FLAG.neutral, 'core.Map.prototype.get', [VALUE_FORM.exported, 4], 1)).toBe(
      "calls core.Map.prototype.get(1) of the program's 4",
    );
    expect(call(OP.construct, 1, 2)).toBe('makes a object 3(1, 2)');
    expect(call(OP.fill, 0, Uint8Array.of(1, 2))).toBe('writes 2 bytes into object 3');
    expect(call(OP.set | OP_FLAG.lookup, 'a', 1)).toBe("set of object 3: 'a', 1");
    expect(call(31, 'a')).toBe("operation 31 of object 3: 'a'");
  });

  it('can be an event', () => {
    expect(entry(0, MEMBRANE_EVENT.shown, 2, Uint8Array.of(1, 2))).toBe('writes 2 bytes to standard error');
    expect(entry(0, MEMBRANE_EVENT.aborted, [VALUE_FORM.handle, 2])).toBe('aborts #2: its client is gone');
    expect(entry(0, MEMBRANE_EVENT.uncaught, undefined)).toBe('uncaught exception of the program');
    expect(entry(0, MEMBRANE_EVENT.failed, 'reason')).toBe("uncaught exception of the host: 'reason'");
    expect(entry(0, MEMBRANE_EVENT.rejected, 'reason')).toBe("unhandled rejection: 'reason'");
  });

  it('can release objects and complete surrogates', () => {
    const text = new DeviceEventText(true);
    valueText(newHandle('Socket'), text);
    const released = (...lists: TapeValue[]): string => text.entry(0, [MEMBRANE_EVENT.released, ...lists]);
    expect(released(Uint8Array.of(4, 5), Uint8Array.of(0, 9), Uint8Array.of(1))).toBe('releases 4, 5, Socket#0, #9');
    expect(released([4], [], [], [0])).toBe('releases 4 and completes Socket#0');
    expect(released([], [], [], [0, 1])).toBe('completes Socket#0, #1');
    expect(released([], [], [])).toBe('releases ');
    expect(released(undefined, [0])).toBe('releases Socket#0');
  });
});

it('the settlement of a promise has its outcome', () => {
  const text = new DeviceEventText(true);
  expect(text.settled([true, 1])).toBe('fulfilled: 1');
  expect(text.settled([false, [VALUE_FORM.error, 'Error', 'failed']])).toBe('rejected: Error: failed');
});
