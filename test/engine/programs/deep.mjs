// Calls in all ways that there are: functions that call themselves, builtins that call back, errors that leave several calls at once, code that is suspended.
function count(n) {
  if (n === 0) return 0;
  const below = count(n - 1);
  return below + 1;
}

function thrown(n) {
  if (n === 0) throw new Error('deep');
  thrown(n - 1);
  return n;
}

function caught(n) {
  let found = 0;
  try {
    thrown(n);
  } catch {
    found = count(1);
  }
  return found;
}

class Part {
  size = count(1);
  static made = [];
  constructor(parts) {
    this.parts = parts;
    Part.made.push(this);
  }
  get weight() {
    let sum = this.size;
    for (const each of this.parts) sum += each.weight;
    return sum;
  }
  toJSON() {
    const { size } = this;
    return { size, parts: this.parts };
  }
}

function* numbers(n) {
  for (let i = 0; i < n; i++) {
    const made = count(1);
    yield made + i;
  }
  if (n > 0) yield* numbers(n - 1);
}

// Calls itself through a function that catches all errors, before it calls any other function.
function swallowed(n, list) {
  list.push(n);
  new Promise(() => swallowed(n - 1, n > 0 ? [n] : undefined)).catch(() => {});
  return list.length;
}

function all() {
  let sum = 0;
  sum += count(3);
  sum += caught(2);
  const part = new Part([new Part([]), new Part([])]);
  sum += part.weight;
  sum += JSON.stringify(part).length;
  for (const each of numbers(2)) sum += each;
  const sorted = [3, 1, 2].sort((a, b) => {
    const order = a - b;
    return order;
  });
  sorted.forEach((each) => {
    sum += each;
    if (each === 2) sum += count(each);
  });
  sum += 'abc'.replace(/b/, () => caught(1)).length;
  sum += swallowed(2, []);
  const proxy = new Proxy({}, { get: (_, name) => count(name.length) });
  sum += proxy.ab;
  sum += count(260);
  return sum;
}

async function later(n) {
  let sum = count(1);
  sum += await n;
  if (n > 0) sum += await later(n - 1);
  return sum;
}

setTimeout(() => {
  const sum = all();
  void later(2).then((each) => console.log(sum + each));
}, 1);
