/*---
description: name and length are those of the source, with their attributes
---*/
const check = (f, name, length) => {
  assert.same(f.name, name);
  assert.same(f.length, length);
  const descriptor = Object.getOwnPropertyDescriptor(f, 'name');
  assert(!descriptor.writable && !descriptor.enumerable && descriptor.configurable, name);
};
const o = { m(a, b) {}, async am(a) {}, *g() {}, async *ag(a = 1) {}, get x() { return 1; }, ['k' + 1]: () => {}, [Symbol('s')]: async function () {} };
check(o.m, 'm', 2); check(o.am, 'am', 1); check(o.g, 'g', 0); check(o.ag, 'ag', 0); check(o.k1, 'k1', 0);
check(Object.getOwnPropertyDescriptor(o, 'x').get, 'get x', 0);
check(o[Object.getOwnPropertySymbols(o)[0]], '[s]', 0);
let a = async () => {}; check(a, 'a', 0);
const { b = function* () {} } = {}; check(b, 'b', 0);
function inner() { let n = 0; const f = (x, ...rest) => n++; return f; } check(inner(), 'f', 1);
class K { #p() {} static s = () => {}; async #q(x) {} names() { return [this.#p, this.#q]; } }
const [p, q] = new K().names(); check(p, '#p', 0); check(q, '#q', 1); check(K.s, 's', 0);
for (const f of [o.am, o.m, a, p, o.k1]) assert(!Object.hasOwn(f, 'prototype'), f.name);
for (const f of [o.m, o.am, o.g, o.ag, a, p]) assert.throws(TypeError, () => new f());
