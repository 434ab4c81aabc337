/*---
description: An error in an assignment target closes the iterator, and wins over an error of the closing
---*/
const log = [];
const source = (close) => ({ [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }), return: close }) });
const target = { set x(v) { throw new TypeError('target'); } };
assert.throws(TypeError, () => { [target.x] = source(() => { log.push('closed'); return {}; }); });
assert.throws(TypeError, () => { [target.x] = source(() => { throw new RangeError('close'); }); });
assert.throws(TypeError, () => { [, ] = source(() => 1); }, 'the result of return must be an object');
assert.throws(RangeError, () => { [...target.x] = { [Symbol.iterator]: () => ({ next() { throw new RangeError('next'); }, return() { log.push('never'); return {}; } }) }; });
assert.list(log, ['closed']);
