/*---
description: Resources are disposed in reverse, once, also when suspended, and errors are chained
flags: [async]
features: [explicit-resource-management]
---*/
const log = [];
const resource = (name, fail) => ({ [Symbol.dispose]() { log.push(name); if (fail) throw new RangeError(name); }, async [Symbol.asyncDispose]() { await null; log.push(`async ${name}`); } });
{ using a = resource('a'), n = null, b = resource('b'); log.push('body'); }
assert.list(log.splice(0), ['body', 'b', 'a']);
function* g() { using r = resource('g'); yield 1; yield 2; }
const it = g(); it.next(); it.return();
assert.list(log.splice(0), ['g']);
test(async () => {
  await (async () => { await using a = resource('a'); using b = resource('b'); await null; log.push('body'); })();
  assert.list(log.splice(0), ['body', 'b', 'async a']);
  for (await using r of [resource('1'), resource('2')]) log.push('turn');
  assert.list(log.splice(0), ['turn', 'async 1', 'turn', 'async 2']);
  let error;
  try { using a = resource('x', true); using b = resource('y', true); throw new SyntaxError('body'); } catch (e) { error = e; }
  assert.list([error.name, error.error.message, error.suppressed.error.message, error.suppressed.suppressed.name], ['SuppressedError', 'x', 'y', 'SyntaxError']);
  await using f = Object.assign(() => {}, { [Symbol.dispose]() {} });
  assert.same(typeof f, 'function');
});
