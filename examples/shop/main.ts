// node --import turntable/register examples/shop/main.ts
import { spawn, spawnWith, start } from 'turntable';
import { Customer, Till, Warehouse } from './shop.ts';

const app = start({ workers: 2 });
const warehouse = spawnWith(
  { on: 1, name: 'the warehouse' },
  Warehouse,
  new Map([
    ['tea', 3],
    ['rice', 10],
  ]),
);
const till = spawnWith({ on: 2, name: 'the till' }, Till);
console.log(`the program runs on thread 0, the warehouse on ${await warehouse.where()}`);

const customers = ['Ada', 'Bo', 'Cy', 'Di'].map((name) => spawn(Customer, name, warehouse, till));
for (const [i, customer] of customers.entries()) console.log(await customer.buy(i % 2 === 0 ? 'tea' : 'rice', 2));

console.log('left:', Object.fromEntries(await warehouse.stock()), 'orders:', await till.count());
for (const { worker, turns } of (await app.stats()).workers)
  console.log(`${worker === 0 ? 'main thread' : `worker ${worker}`}: ${turns} turns`);
// All threads are idle now, so the process ends.
