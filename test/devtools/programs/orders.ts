// Orders that await a price: output, an exception that is caught, a suspended caller, and classes for a heap snapshot.
interface Line {
  readonly name: string;
  readonly count: number;
}

class Order {
  readonly lines: Line[] = [];
  total: number = 0;

  add(line: Line, price: number): this {
    this.lines.push(line);
    this.total += line.count * price;
    return this;
  }
}

class Shop {
  readonly orders = new Map<string, Order>();

  open(customer: string): Order {
    const order = new Order();
    this.orders.set(customer, order);
    return order;
  }
}

const shop = new Shop();
const prices: Record<string, number> = { tea: 3, milk: 2 };
const login = { password: 'correct horse battery' };
async function priceOf(name: string): Promise<number> {
  await new Promise<void>((settle) => setTimeout(settle, 1));
  const price = prices[name];
  if (price === undefined) throw new RangeError(`no price for ${name}`);
  return price;
}

async function buy(customer: string, names: readonly string[]): Promise<Order> {
  const order = shop.open(customer);
  for (const name of names) {
    try {
      const price = await priceOf(name);
      order.add({ name, count: 2 }, price);
      console.log(`${customer} buys ${name}`);
    } catch (error) {
      console.error((error as Error).message);
    }
  }
  return order;
}

const ann = await buy('Ann', ['tea', 'salt']);
const bob = await buy('Bob', ['milk', 'tea']);
console.log('total', ann.total + bob.total, Object.keys(login).length);
