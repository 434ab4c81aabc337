/*---
description: A generator finished while it waits inside a pattern closes the pattern's iterator
---*/
const log = [];
const source = (close) => ({ [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }), return: close }) });
function* targets(iterable) { const o = {}; [o[yield 'key']] = iterable; }
let it = targets(source(() => { log.push('closed'); return {}; }));
it.next();
assert.same(it.return(7).value, 7);
assert.list(log, ['closed']);
it = targets(source(null));
it.next();
assert.same(it.return(8).value, 8, 'no return method');
it = targets(source(() => null));
it.next();
assert.throws(TypeError, () => it.return(), 'return answers no object');
it = targets(source(() => { throw new RangeError('close'); }));
it.next();
assert.throws(SyntaxError, () => it.throw(new SyntaxError('mine wins')));
function* rest(iterable) { const o = {}; [...o[yield 'rest']] = iterable; }
it = rest({ [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }), return() { log.push('rest closed'); return {}; } }) });
it.next();
it.return();
assert.list(log, ['closed', 'rest closed']);
function* defaults() { const { a = yield 'a', [yield 'k']: b = yield 'b', ...r } = { k: undefined, z: 1 }; return [a, b, r.z]; }
it = defaults();
assert.list([it.next().value, it.next('A').value, it.next('k').value], ['a', 'k', 'b']);
assert.list(it.next('B').value, ['A', 'B', 1]);
