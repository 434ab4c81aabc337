// Writes in all ways that there are. What stands behind WROTE was written last there, seen from the statement HERE.
const here = () => {};
let total = 0;
export let exported = 1;

class Order {
  price = 1; // WROTE order.price
  #state = 'new';
  constructor(name) {
    this.name = name; // WROTE order.name
    this.length = 0;
    if (name === 'two') this.length = 1;
    this.#state = 'open'; // WROTE other.#state
  }
  close() {
    this.#state = 'closed'; // WROTE order.#state
    return this.#state;
  }
}

class Express extends Order {
  speed = 1; // WROTE express.speed
  constructor(name) {
    super(name);
    this.late = false; // WROTE express.late
  }
}

function adding(order) {
  total += 5; // WROTE total
  order.sum = total;
  order.sum += 1; // WROTE order.sum
  exported = 2; // WROTE exported
}

function counting() {
  let count = 0;
  return {
    bump() {
      count++; // WROTE count
      return count;
    },
    look(order) {
      const list = [];
      here(list, count); // AND HERE
      return order;
    },
  };
}

function look(order, other, express) {
  let number = 0;
  const lines = [];
  const shelf = new Map([['milk', 3]]);
  const names = new Set();
  const bytes = new Uint8Array(4);
  adding(order);
  lines.push('a'); // WROTE lines[0]
  lines.push('b');
  lines[1] = 'c'; // WROTE lines[1]
  shelf.set('tea', 1);
  shelf.set('tea', 2); // WROTE shelf.get('tea')
  shelf.delete('milk'); // WROTE shelf.has('milk')
  names.add('x'); // WROTE names.has('x')
  bytes[2] = 7; // WROTE bytes[2]
  for (let i = 0; i < 3; i++) number += i; // WROTE number
  order.temporary = 1;
  delete order.temporary; // WROTE order.temporary
  Object.assign(order, { discount: 3 }); // WROTE order.discount
  [other.first, other.second] = [1, 2]; // WROTE other.second
  other['by name'] = 3; // WROTE other["by name"]
  order.address = { city: 'Ulm' }; // WROTE order.address.city
  order.close();
  other.price = 7; // WROTE other.price
  const sorted = ['b', 'a']; // WROTE sorted
  const squares = [1, 2, 3].map((each) => {
    const square = each * each;
    return square;
  });
  sorted.sort(); // WROTE sorted[0]
  here(number, squares, express); // HERE
}

const [order, other, express] = [new Order('one'), new Order('two'), new Express('three')];
look(order, other, express); // PASSED order
const counter = counting();
counter.bump();
counter.look(order);
