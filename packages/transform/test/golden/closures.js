function counter(step = 1) {
  let count = 0;
  const label = 'count';
  return {
    next: () => (count += step),
    get text() {
      return `${label}: ${count}`;
    },
  };
}

function pairs(list) {
  const found = [];
  for (let i = 0; i < list.length; i++) found.push(() => list[i]);
  return found;
}

class Cart {
  #items = [];
  static made = 0;
  constructor() {
    Cart.made++;
  }
  add(item) {
    this.#items.push(item);
    return () => this.#items.length;
  }
}

exports.all = { counter, pairs, Cart };
