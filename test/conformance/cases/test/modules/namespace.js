/*---
description: A namespace is sealed, sorted, live, and dead before evaluation
flags: [module]
---*/
import * as ns from './namespace.js';
assert.list(Reflect.ownKeys(ns), ['a', 'b', 'default', Symbol.toStringTag]);
assert.throws(ReferenceError, () => ns.b);
assert.throws(ReferenceError, () => Object.getOwnPropertyDescriptor(ns, 'b'));
assert.throws(TypeError, () => { ns.a = 1; });
assert(Reflect.isExtensible(ns) === false && Object.getPrototypeOf(ns) === null && !('nope' in ns), 'shape');
export var a = 1;
export let b = 2;
assert.same(ns.b, 2);
b = 3;
assert.same(ns.b, 3);
export { a as default };
