// Private members of handles come back class by class, and whatever else stands in their place is refused.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeMembers, decodeMembers } from '../src/handle-members.ts';

const memberArbitrary = fc.tuple(
  fc.string().map((name) => `#${name}`),
  fc.oneof(fc.integer(), fc.constant(undefined), fc.object()),
);
const classesArbitrary = fc.array(
  fc.array(memberArbitrary).map((members) => ({
    owner: class {} as object,
    names: members.map(([name]) => name),
    values: members.map(([, value]) => value),
  })),
);

test('private members of a handle come back to their classes in their order', () => {
  const property = fc.property(classesArbitrary, (classesWithMembers) => {
    expect(decodeMembers(encodeMembers(classesWithMembers))).toEqual(classesWithMembers);
  });
  fc.assert(property);
});

test('contents that are no members of classes are refused, and read to an end', () => {
  const part = fc.oneof(fc.integer(), fc.double(), fc.constant(null), fc.string(), fc.constant({}), classesArbitrary);
  fc.assert(
    fc.property(fc.array(part), (contents) => {
      let found: ReturnType<typeof decodeMembers>;
      try {
        found = decodeMembers(contents);
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError);
        return;
      }
      expect(encodeMembers(found)).toEqual(contents);
    }),
  );
  const owner = class {};
  for (const count of [-1, 0.5, NaN, Infinity, 2, '1'])
    expect(() => decodeMembers([owner, count, '#x', 1]), String(count)).toThrow(TypeError);
});
