// A first program to record: a closure that counts, three reservations that interleave at their awaits, one of which
// fails, and a generator that is suspended and resumed. `npm run first-record` runs it natively and transformed and
// compares.
import { Inventory, OutOfStock } from './inventory.ts';

function numbered(print: (line: string) => void): (text: string) => void {
  let line = 0;
  return (text) => print(`${String(++line).padStart(2)}  ${text}`);
}

const say = numbered(console.log);
const inventory = new Inventory([
  ['lamp', 3],
  ['desk', 1],
]);

async function customer(name: string, sku: string, count: number): Promise<boolean> {
  say(`${name} asks for ${count} × ${sku}`);
  try {
    const reservation = await inventory.reserve({ sku, count });
    say(`${name} has ${reservation}`);
    return true;
  } catch (error) {
    if (!(error instanceof OutOfStock)) throw error;
    say(`${name} goes home: ${error.message}`);
    return false;
  } finally {
    say(`${name} is done`);
  }
}

const served = await Promise.all([customer('Ada', 'lamp', 2), customer('Bob', 'desk', 2), customer('Cyd', 'lamp', 1)]);
say(`served: ${served.filter(Boolean).length} of ${served.length}`);

const left = inventory.left();
let step = left.next();
for (; step.done !== true; step = left.next()) say(await Promise.resolve(step.value));
say(`${step.value} left in ${Inventory.opened} inventory`);
