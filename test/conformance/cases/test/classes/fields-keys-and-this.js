/*---
description: Computed keys are evaluated once in order, initialisers see the instance
---*/
const log = [];
const key = (k) => { log.push(k); return k; };
class A { [key('a')] = this; static [key('s')] = this; [key('m')]() {} f = () => this; static { this.block = this === A; } [key('z')] = new.target; }
assert.list(log, ['a', 's', 'm', 'z']);
const a = new A();
assert(a.a === a && A.s === A && a.f() === a && A.block, 'this');
assert.same(a.z, undefined);
assert.list(Object.keys(a), ['a', 'f', 'z']);
assert.throws(TypeError, () => { class B { static ['prototype'] = 1; } });
