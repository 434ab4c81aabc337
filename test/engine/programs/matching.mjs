// A timer that does not come back from native code: the expression tries for longer than anybody lives.
let ticks = 0;
setInterval(() => {
  if (++ticks < 3) return;
  console.log(Date.now() > 0, /^(a+)+$/.test(`${'a'.repeat(60)}!`));
}, 5);
