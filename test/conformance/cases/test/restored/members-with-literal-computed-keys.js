/*---
description: Members whose computed keys are literals
flags: [async]
---*/
class C {
  ['a']() {
    return 'a';
  }
  [1]() {
    return 1;
  }
  get ['b']() {
    return 'b';
  }
  static ['c']() {
    return 'c';
  }
  async ['d' + 1]() {
    return this.a();
  }
}

(async function () {
  await 0;
  var c = new C();
  assert.same(c.a(), 'a');
  assert.same(c[1](), 1);
  assert.same(c.b, 'b');
  assert.same(C.c(), 'c');
  assert.same(await c.d1(), 'a');
  assert.same(Reflect.ownKeys(C.prototype).join(), '1,constructor,a,b,d1');
})().then($DONE, $DONE);
