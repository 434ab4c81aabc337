// Prototypes of Node's error classes. A state contains their base class and error code.
import {
  ERROR_BASES,
  codedClassOf,
  codedPrototype,
  hidingPrototype,
  type ErrorBaseClass,
} from '@turntable/boundary/membrane';
import { descriptorsOf } from './descriptors.ts';
import type { ObjectAdapter } from '@turntable/heap';

const CODED_ERROR = 0;
/** Kind of a class that inherits from a class with a code: Node's errors that hide internal frames. */
const FRAME_HIDING_ERROR = 1;

export function createNodeErrorAdapter(): ObjectAdapter {
  return {
    name: 'prototypes of Node’s errors',
    appliesTo: 'objects',
    matchesPrototype: (prototype) =>
      prototype !== null &&
      (ERROR_BASES.some((base) => base.prototype === prototype) || codedClassOf(prototype)?.isHidden === false),
    takeApart(value) {
      const coded = codedClassOf(value);
      if (coded === undefined) return undefined;
      const { base, code, isHidden } = coded;
      const initialProperties = descriptorsOf(value);
      return isHidden
        ? {
            kind: FRAME_HIDING_ERROR,
            header: [Reflect.getPrototypeOf(value) as object, base],
            contents: [],
            initialProperties,
          }
        : { kind: CODED_ERROR, header: [base, code], contents: [], initialProperties };
    },
    allocate(kind, header) {
      if (kind === FRAME_HIDING_ERROR) return hidingPrototype(header[0] as object, header[1]);
      return codedPrototype({ base: header[0] as ErrorBaseClass, code: String(header[1]), isHidden: false });
    },
    fill: () => undefined,
  };
}
