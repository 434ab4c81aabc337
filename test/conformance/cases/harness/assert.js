// What a case needs to say what it promises.
function assert(condition, message) {
  if (condition !== true) throw new Error(`expected true: ${message}`);
}
assert.same = function (actual, expected, message) {
  if (!Object.is(actual, expected)) throw new Error(`expected ${String(expected)}, got ${String(actual)}: ${message ?? ''}`);
};
assert.list = function (actual, expected, message) {
  assert.same(Array.from(actual, String).join('|'), expected.map(String).join('|'), message);
};
assert.throws = function (type, run, message) {
  try {
    run();
  } catch (error) {
    if (error.constructor !== type) throw new Error(`expected ${type.name}, got ${error.name}: ${error.message} (${message ?? ''})`);
    return;
  }
  throw new Error(`expected ${type.name}, nothing was thrown: ${message ?? ''}`);
};
