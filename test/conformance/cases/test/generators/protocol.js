/*---
description: States of a generator object and what each method does in them
---*/
function* g() { try { const got = yield 1; yield got; } finally { yield 'cleanup'; } }
let it = g();
assert.same(it.return(5).value, 5); assert(it.next().done, 'return before the start');
it = g();
assert.throws(TypeError, () => it.throw(new TypeError('early'))); assert(it.next().done, 'throw before the start');
it = g(); it.next();
assert.same(it.next('sent').value, 'sent');
assert.same(it.return('r').value, 'cleanup');
const last = it.next(); assert.same(last.value, 'r'); assert(last.done, 'return goes on after finally');
function* running() { assert.throws(TypeError, () => it.next(), 'running'); yield; }
it = running(); it.next();
assert.throws(TypeError, () => g.prototype.next.call({}));
assert.same(Object.getPrototypeOf(g()), g.prototype);
g.prototype = 1;
assert.same(Object.getPrototypeOf(g()), Object.getPrototypeOf(function* () {}).prototype);
assert.same(g()[Symbol.toStringTag], 'Generator');
assert.list(Object.keys(g().next()), ['value', 'done']);
