/*---
description: super in methods, arrows, fields, async and generator methods, object literals
flags: [async]
---*/
class A { m() { return `A${this.id}`; } get g() { return this.id; } static s() { return 'As'; } }
class B extends A { id = 7; field = super.m(); arrow = () => super.m(); async am() { await null; return super.m(); } *gm() { yield super.m(); yield (() => super.g)(); } static { this.block = super.s(); } set() { super.fresh = 1; return Object.hasOwn(this, 'fresh'); } }
const b = new B();
assert.list([b.field, b.arrow(), ...b.gm(), B.block, b.set()], ['A7', 'A7', 'A7', 7, 'As', true]);
const o = { __proto__: { who() { return `proto ${this.n}`; } }, n: 1, who() { return super.who(); }, async later() { await null; return super.who(); } };
test(async () => { assert.list([await b.am(), o.who(), await o.later()], ['A7', 'proto 1', 'proto 1']); });
