// An actor that freezes an object it has changed in the same turn, which cannot be undone.
import { spawn, start } from 'turntable';
import { Books } from './books-actor.ts';

const app = start({ workers: 1 });
const books = spawn(Books);
let closed = 0;
for (let amount = 1; amount <= 7; amount++) closed = await books.add(amount);
console.log(closed);
await app.close();
