/*---
description: Functions from source are of this realm, of the right kind, and run transformed code
flags: [async]
---*/
const AsyncFunction = (async () => {}).constructor;
const GeneratorFunction = function* () {}.constructor;
assert.same(new Function('a', 'b', 'return a + b')(1, 2), 3);
assert.same(Function('return this')(), globalThis);
assert.list([...GeneratorFunction('n', 'while (n--) yield n')(3)], [2, 1, 0]);
assert(AsyncFunction('') instanceof AsyncFunction && Object.getPrototypeOf(AsyncFunction) === Function, 'kinds');
assert.throws(SyntaxError, () => Function('return ('));
assert.throws(SyntaxError, () => Function('', '}, function () {'));
assert.throws(SyntaxError, () => GeneratorFunction('yield', ''));
assert.same(Function('a', 'return a').toString(), 'function anonymous(a\n) {\nreturn a\n}');
test(async () => {
  const f = AsyncFunction('x', 'let y = await x; return (() => ++y)()');
  const p = f(1);
  assert(p instanceof Promise && p.constructor === Promise, 'the realm\'s promise');
  assert.same(await p, 2);
});
