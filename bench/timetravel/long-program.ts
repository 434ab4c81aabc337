// One task with a number of statements: in a loop of the file, in an async function, or in many calls.

const [form, size] = process.argv.slice(2);
const statements = Number(size);
let sum = 0;

function add(a: number, b: number): number {
  const doubled = double(b);
  return a + doubled;
}

function double(value: number): number {
  return value * 2;
}

async function work(): Promise<void> {
  await Promise.resolve();
  for (let i = 0; i < statements; i++) {
    sum += i % 7;
  }
}

if (form === 'loop') {
  for (let i = 0; i < statements; i++) {
    sum += i % 7;
  }
} else if (form === 'async') await work();
else {
  // A round of four statements has two calls; 0.6 of the statements are in calls that make 0.3 calls a statement.
  for (let i = 0; i < statements * 0.15; i++) {
    sum = add(sum, i);
  }
  for (let i = 0; i < statements * 0.4; i++) {
    sum += i % 7;
  }
}
console.log(sum);
