/*---
description: What a program has made of the language's own objects stays, and is in nobody's way
flags: [async]
---*/
var iterators = 0;
var iterate = Array.prototype[Symbol.iterator];
Array.prototype[Symbol.iterator] = function () {
  iterators++;
  return iterate.call(this);
};
Object.defineProperty(Array.prototype, 1, { get: () => 'inherited', set: undefined, configurable: true });
Set.prototype.add = function () {
  throw new RangeError('add');
};
delete Map.prototype.forEach;
Object.prototype.get = function () {};

(async function () {
  await 0;
  assert.same(iterators, 0, 'nobody else iterates');
  var list = [0, , 2];
  assert.same(list[1], 'inherited');
  assert.throws(RangeError, function () {
    new Set([1]);
  });
  assert.same('forEach' in Map.prototype, false);
  var [first] = list;
  assert.same(first, 0);
  assert.same(typeof {}.get, 'function');
  delete Object.prototype.get;
})().then($DONE, $DONE);
