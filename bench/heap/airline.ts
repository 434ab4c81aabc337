// The graph of the bench: an airline of about 305,000 objects in 30 MB, with Maps, Sets, dates, sharing in both
// directions and cycles. Made of plain objects or of class instances.

export class Airport {
  declare code: string;
  declare name: string;
  declare latitude: number;
  declare longitude: number;
  declare departures: Flight[];
}

export class Customer {
  declare id: number;
  declare name: string;
  declare email: string;
  declare miles: number;
  declare address: { street: string; city: string; zip: string };
  declare since: Date;
}

export class Booking {
  declare reference: string;
  declare customer: Customer;
  declare flight: Flight;
  declare made: Date;
  declare paid: boolean;
  declare seat: { row: number; letter: string };
}

export class Flight {
  declare id: string;
  declare number: number;
  declare from: Airport;
  declare to: Airport;
  declare departs: Date;
  declare arrives: Date;
  declare price: number;
  declare seats: { first: number; business: number; economy: number; free: number[] };
  declare bookings: Booking[];
  declare status: string;
}

export interface Airline {
  readonly airports: Airport[];
  readonly customers: Customer[];
  readonly flights: Flight[];
  readonly byId: Map<string, Flight>;
  readonly tags: Map<Flight, Set<string>>;
}

export const CLASSES = [Airport, Customer, Booking, Flight] as const;
/** Number of flights in a graph of 30 MB. */
const FLIGHTS = 20_000;

type Maker = <T extends object>(type: new () => T, fields: T) => T;
const asPlain: Maker = (_, fields) => fields;
const asInstance: Maker = (type, fields) => Object.assign(new type(), fields);

export function airline(megabytes: number, asClasses: boolean): Airline {
  const make = asClasses ? asInstance : asPlain;
  const count = Math.round((FLIGHTS * megabytes) / 30);
  const airports = Array.from({ length: 200 }, (_, i) =>
    make(Airport, { code: `A${i}`, name: `Airport ${i}`, latitude: i * 0.37, longitude: i * -0.71, departures: [] }),
  );
  const customers = Array.from({ length: Math.ceil(count / 3) }, (_, i) =>
    make(Customer, {
      id: i,
      name: `Customer ${i}`,
      email: `customer${i}@example.com`,
      miles: i * 7,
      address: { street: `${i} Main St`, city: `City ${i % 50}`, zip: String(10_000 + (i % 9000)) },
      since: new Date(1.6e12 + i * 1e6),
    }),
  );
  const flights: Flight[] = [];
  const byId = new Map<string, Flight>();
  const tags = new Map<Flight, Set<string>>();
  for (let i = 0; i < count; i++) {
    const from = airports[i % 200]!;
    const departs = 1.7e12 + i * 60_000;
    const flight = make(Flight, {
      id: `FL${i}`,
      number: 1000 + (i % 9000),
      from,
      to: airports[(i * 7 + 1) % 200]!,
      departs: new Date(departs),
      arrives: new Date(departs + 7.2e6),
      price: 99.5 + (i % 700) / 3,
      seats: { first: 8, business: 20, economy: 150, free: [1, 2, 3] },
      bookings: [],
      status: i % 5 === 0 ? 'delayed' : 'scheduled',
    });
    for (let b = 0; b < 2; b++) {
      flight.bookings.push(
        make(Booking, {
          reference: `B${i}-${b}`,
          customer: customers[(i * 3 + b) % customers.length]!,
          flight,
          made: new Date(1.69e12 + i),
          paid: b === 0,
          seat: { row: i % 30, letter: 'ABCDEF'[b]! },
        }),
      );
    }
    from.departures.push(flight);
    flights.push(flight);
    byId.set(flight.id, flight);
    if (i % 4 === 0) tags.set(flight, new Set([i % 2 === 0 ? 'eu' : 'us']));
  }
  return { airports, customers, flights, byId, tags };
}
