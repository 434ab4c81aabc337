// A part of lazily.mjs.
const add = (sum, each) => sum + each;

export function total(numbers) {
  return numbers.reduce(add, 0);
}
