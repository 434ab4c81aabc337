/*---
description: yield* passes everything on, and results of next untouched
---*/
const log = [];
const inner = (methods) => ({ [Symbol.iterator]: () => ({ next: (v) => { log.push(`next ${v}`); return { value: 'v', done: false, get extra() { return 1; } }; }, ...methods }) });
function* outer(methods) { return yield* inner(methods); }
let it = outer({});
assert(Object.hasOwn(it.next(1), 'extra'), 'the very result object');
it.next(2);
assert.list(log, ['next undefined', 'next 2']);
assert.throws(TypeError, () => it.throw(1), 'no throw method');
it = outer({ return: () => 1 }); it.next();
assert.throws(TypeError, () => it.return(), 'no object');
it = outer({ return: () => ({ done: true, value: 'closed' }) }); it.next();
assert.same(it.return('x').value, 'closed');
it = outer({ throw: () => ({ done: true, value: 'recovered' }) }); it.next();
assert.same(it.throw('x').value, 'recovered');
assert.throws(TypeError, () => { (function* () { yield* 1; })().next(); });
