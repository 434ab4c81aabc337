// Says what its variables hold wherever it is: functions, closures, generators, callbacks of builtins, timers and promises.
const said = (about) => console.log(JSON.stringify(about));

function add(a, b) {
  const sum = a + b;
  said({ a, b, sum });
  return sum;
}

function* halves(from) {
  for (let n = from; n > 1; n /= 2) {
    try {
      yield n;
    } finally {
      said({ n });
    }
  }
}

class Account {
  balance = 0;
  put(amount) {
    this.balance += amount;
    return this;
  }
}

const later = (value) => new Promise((resolve) => setTimeout(() => resolve(value), 1));

async function gather(count) {
  const all = [];
  for (let i = 0; i < count; i++) {
    const value = await later(i);
    all.push(value);
    said({ i, value, all });
  }
  return all;
}

let total = 0;
for (let i = 0; i < 3; i++) total = add(total, i);
for (const n of halves(8)) total += n;
const account = new Account().put(3).put(4);
const names = ['b', 'a', 'c'].sort((one, other) => (one < other ? -1 : 1)).map((name) => name + name);
said({ total, account, names, random: Math.random() > 2 });
const counter = (() => {
  let count = 0;
  return () => ++count;
})();
setTimeout(() => said({ count: counter() }), 2);
const both = await Promise.all([gather(2), gather(1)]);
said({ both, count: counter() });
