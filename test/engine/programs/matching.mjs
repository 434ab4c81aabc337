// A timer that never returns from native code: the regular expression backtracks practically forever.
let ticks = 0;
setInterval(() => {
  if (++ticks < 3) return;
  console.log(Date.now() > 0, /^(a+)+$/.test(`${'a'.repeat(60)}!`));
}, 5);
