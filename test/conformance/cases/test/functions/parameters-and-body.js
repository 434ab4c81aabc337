/*---
description: Parameters with expressions and the body's variables are two scopes
flags: [noStrict]
---*/
var x = 'outside';
function f(a = () => x) { var x = 'body'; return a(); }
assert.same(f(), 'outside');
function g(p = 1, q = () => p) { var p; const before = p; p = 2; return [before, p, q()]; }
assert.list(g(), [1, 2, 1]);
function h(a, b = arguments.length, { c = this.d } = {}) { return [a, b, c]; }
assert.list(h.call({ d: 5 }, 1), [1, 1, 5]);
function* lazy(a = (() => { throw new RangeError('eager'); })()) {}
assert.throws(RangeError, () => lazy(), 'defaults are evaluated at the call');
