// A suspended function has, in a variable, the function that settles what another function awaits.
const gate = new Promise<void>((open) => setTimeout(open, 20));

async function guest(meal: Promise<string>): Promise<void> {
  console.log(await meal);
}

async function cook(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const served = guest(promise);
  await gate;
  resolve('soup');
  await served;
}

const cooked = cook();
console.log('cooking');
await cooked;
