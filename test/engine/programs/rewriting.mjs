// What is made once and written in several turns, in ways that say what they write and in ways that do not. Asked is where it says AT.
const here = () => {};
let total = 0;

class Shop {
  open = true;
  #till = 0;
  constructor(name) {
    this.name = name;
    this.address = { city: 'Ulm', street: { number: 1 } };
  }
  sell(price) {
    this.#till += price;
    here(); // AT
    return this.#till;
  }
}

const shop = new Shop('first');
const sorted = ['c', 'a', 'b'];
const stock = new Map([['tea', 1]]);
const known = new Set();
const bytes = new Uint8Array(4);
const late = {};

function round(i) {
  here(); // AT
  if (i === 1) shop.address = { city: 'Bern', street: { number: 2 } };
  if (i === 2) late.at = i;
  shop.sell(i);
  total += i;
  here(); // AT
  if (i !== 1) sorted.sort();
  if (i === 1) sorted.reverse();
  stock.set('tea', i);
  if (i === 0) known.add('x');
  if (i === 3) delete late.at;
  bytes[i] = i;
  const made = new Shop('other');
  made.sell(i);
  here(); // AT
  return made;
}

let rounds = 0;
const timer = setInterval(() => {
  round(rounds++);
  if (rounds === 4) clearInterval(timer);
}, 1);
