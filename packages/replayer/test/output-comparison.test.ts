// Tests that printed output is compared with the sums of a trace, and the first difference is described.
import { OutputSums, type OutputSum } from '@turntable/recording';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { OutputComparison } from '../src/replay/thread/output-comparison.ts';

type Output = readonly (readonly [stream: number, text: string])[];

function sumsOf(output: Output): readonly OutputSum[] {
  const sums = new OutputSums();
  for (const [stream, text] of output) sums.add(stream, text);
  return sums.take();
}

function compared(recorded: Output, actual: Output) {
  const comparison = new OutputComparison();
  for (const [stream, text] of actual) comparison.note(stream, text);
  return comparison.compare(sumsOf(recorded));
}

it('is the same however the output of a stream is divided into writes', () => {
  const text = fc.string({ unit: 'grapheme' });
  fc.assert(
    fc.property(fc.array(text), fc.array(text), (one, other) => {
      const whole = compared(
        [[1, one.join('')]],
        one.map((part) => [1, part] as const),
      );
      const changed = compared(
        [[1, one.join('')]],
        other.map((part) => [1, part] as const),
      );
      expect(whole).toBeUndefined();
      expect(changed === undefined).toBe(one.join('') === other.join(''));
    }),
  );
});

it('describes the difference, with checksums only where the sizes are equal', () => {
  expect(compared([[1, 'one']], [[1, 'four']])).toEqual({
    expected: 'the program prints 3 bytes to standard output',
    actual: 'the program prints 4 bytes to standard output',
  });
  expect(compared([[2, 'a']], [])).toEqual({
    expected: 'the program prints 1 byte to standard error',
    actual: 'the program prints nothing',
  });
  expect(compared([[1, 'a']], [[2, 'a']])).toEqual({
    expected: 'the program prints 1 byte to standard output',
    actual: 'the program prints 1 byte to standard error',
  });
  const both = compared(
    [
      [1, 'abc'],
      [2, 'x'],
    ],
    [
      [1, 'abd'],
      [2, 'xy'],
    ],
  );
  expect(both?.expected).toMatch(
    /^the program prints 3 bytes to standard output with the checksum [\da-f]{8}, 1 byte to standard error$/,
  );
  expect(both?.actual).toMatch(/ with the checksum [\da-f]{8}, 2 bytes to standard error$/);
});

it('compares each interval for itself, until the first difference', () => {
  let differences = 0;
  for (const onDifference of [undefined, () => void differences++]) {
    const comparison = new OutputComparison(onDifference);
    comparison.note(1, 'a');
    expect(comparison.compare(sumsOf([[1, 'a']]))).toBeUndefined();
    expect(comparison.compare([])).toBeUndefined();
    comparison.note(1, Buffer.from('b'));
    expect(comparison.compare(sumsOf([[1, 'b']]))).toBeUndefined();
    comparison.note(1, 'c');
    expect(comparison.compare([]) === undefined).toBe(onDifference !== undefined);
    comparison.note(1, 'd');
    expect(comparison.compare([])).toBeUndefined();
  }
  expect(differences).toBe(1);
});
