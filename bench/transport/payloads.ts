// Payloads of the messages, and the number of messages per sample.

export interface Payload {
  /** Arguments of message number `i`; they vary, as in programs. */
  argsOf(i: number): readonly unknown[];
  readonly count: number;
  readonly roundTrips: number;
}

const STATES = ['new', 'packed', 'shipped', 'returned'];

/** A record of about 200 bytes of JSON. */
function record(i: number): object {
  return {
    id: i,
    sku: `sku-${(i * 7919) % 100_000}`,
    customer: `customer number ${i % 5000}`,
    title: `A thing of some sort, number ${i % 1000}`,
    status: STATES[i % STATES.length],
    quantity: i % 90,
    price: (i % 1000) * 0.25,
    isPaid: i % 3 === 0,
    createdAt: 1.7e12 + i,
    city: 'Amsterdam',
  };
}

function several<V>(count: number, make: (i: number) => V): (i: number) => V {
  const list = Array.from({ length: count }, (_, i) => make(i));
  return (i) => list[i % count] as V;
}

export const PAYLOADS: Readonly<Record<string, Payload>> = {
  '3 numbers': { argsOf: several(4096, (i) => [i, i & 63, i * 0.5]), count: 200_000, roundTrips: 2000 },
  '200 B record': { argsOf: several(4096, (i) => [record(i)]), count: 100_000, roundTrips: 2000 },
  '10 KB string': { argsOf: several(64, (i) => [`${i}`.padEnd(10_240, 'text ')]), count: 5000, roundTrips: 1000 },
  '1 MB buffer': { argsOf: several(4, (i) => [new Uint8Array(2 ** 20).fill(i).buffer]), count: 60, roundTrips: 40 },
};
