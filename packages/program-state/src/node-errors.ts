// Prototypes of the errors that Node throws, in states: written as base class and code.
import { BASES, codedClassOf, codedPrototype, hidingPrototype, type ErrorClass } from '@turntable/boundary/membrane';
import { descriptorsOf } from './descriptors.ts';
import type { Adapter } from '@turntable/heap';

const WITH_CODE = 0;
/** Inherits from one with a code: the class of errors that hide Node's own frames. */
const HIDING = 1;

export function nodeErrors(): Adapter {
  return {
    name: 'prototypes of Node’s errors',
    asks: 'objects',
    claims: (prototype) =>
      prototype !== null &&
      (BASES.some((base) => base.prototype === prototype) || codedClassOf(prototype)?.isHidden === false),
    take(value) {
      const coded = codedClassOf(value);
      if (coded === undefined) return undefined;
      const { base, code, isHidden } = coded;
      const born = descriptorsOf(value);
      return isHidden
        ? { kind: HIDING, header: [Reflect.getPrototypeOf(value) as object, base], contents: [], born }
        : { kind: WITH_CODE, header: [base, code], contents: [], born };
    },
    allocate(kind, header) {
      if (kind === HIDING) return hidingPrototype(header[0] as object, header[1]);
      return codedPrototype({ base: header[0] as ErrorClass, code: String(header[1]), isHidden: false });
    },
    fill: () => undefined,
  };
}
