// Events in statements that have called a function of the program before.
const double = (n) => {
  const twice = 2 * n;
  return twice;
};

const { promise, resolve } = Promise.withResolvers();
const logged = promise.then((n) => console.log('settled with', double(n)));
resolve(double(21));
await logged;
console.log('printed', double(4));
