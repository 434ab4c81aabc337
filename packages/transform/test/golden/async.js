async function total(prices, { tax } = { tax: 0 }) {
  let sum = 0;
  for (const price of prices) {
    if (price === null) continue;
    sum += await price;
  }
  try {
    return sum + (await tax);
  } catch (error) {
    return sum;
  } finally {
    await log(sum);
  }
}

class Account {
  #balance = 0;
  async deposit(amount) {
    const before = this.#balance;
    this.#balance = before + (await amount);
    return () => this.#balance;
  }
}

async function braceless(rows) {
  const out = [];
  for (let i = 0; i < 6; i++) for await (const x of rows) if (out.push(i, x) > 3) break;
  return out;
}
