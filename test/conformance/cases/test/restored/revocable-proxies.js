/*---
description: A function that revokes a proxy revokes the same proxy after a restore, once
flags: [async]
---*/
var target = { a: 1 };
var { proxy, revoke } = Proxy.revocable(target, { get: (object, key) => object[key] + 1 });
var other = Proxy.revocable(target, {});
other.revoke();
var late = Proxy.revocable({}, { has: () => late.revoke });

test(async function () {
  await 0;
  assert.same(proxy.a, 2);
  assert.same(revoke.name + revoke.length, '0');
  assert.throws(TypeError, () => other.proxy.a);
  assert.same(other.revoke(), undefined);
  revoke();
  assert.throws(TypeError, () => proxy.a);
  await 0;
  assert.throws(TypeError, () => proxy.a);
  assert.same('a' in late.proxy, true);
  late.revoke();
  assert.throws(TypeError, () => 'a' in late.proxy);
});
