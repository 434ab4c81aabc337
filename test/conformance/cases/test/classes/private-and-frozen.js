/*---
description: Private members live beside the object, whatever is done to the object
---*/
class A { #n = 1; constructor() { Object.freeze(this); } up() { return ++this.#n; } static has(o) { return #n in o; } }
const a = new A();
assert.same(a.up(), 2);
assert(A.has(a) && !A.has({}), 'brand');
assert.throws(TypeError, () => A.prototype.up.call({}));
assert.throws(TypeError, () => A.has(1));
assert.throws(TypeError, () => new Proxy(a, {}).up());
class Return { constructor(o) { return o; } }
class Stamp extends Return { #x = 1; static get(o) { return o.#x; } }
const o = Object.preventExtensions({});
new Stamp(o);
assert.same(Stamp.get(o), 1);
assert.throws(TypeError, () => new Stamp(o), 'twice');
assert.same(Reflect.ownKeys(o).length, 0);
