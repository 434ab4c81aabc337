/*---
description: Dead zones hold across suspensions
flags: [async]
---*/
test(async () => {
  async function rejects(run) {
    try { await run(); } catch (error) { assert.same(error.constructor, ReferenceError); return; }
    assert(false, String(run));
  }
  await rejects(async () => { const f = () => x; await null; f(); let x = 1; });
  await rejects(async () => { await null; x = 1; let x; });
  await rejects(async () => { let x = await x; });
  await rejects(async () => { class K extends (await K) {} });
  await rejects(async () => { for (let x of await [x]); });
  await rejects(async () => { for await (let x of [x]); });
  await rejects(async () => { switch (await 1) { case 0: let s = 1; case 1: return s; } });
  await rejects(async () => { for (let i = 0; i < 1; i++) { const f = () => late; await null; f(); const late = 1; } });
  async function fine() { await 1; let a = 0; const up = () => ++a; await 2; up(); return a; }
  assert.same(await fine(), 1);
});
