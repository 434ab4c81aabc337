// Initial content of the database: airports, segments, flights of the next days, and customers.

import { randomUUID } from 'node:crypto';
import type { Airport, Customer, Flight, Segment } from '../model.ts';
import { DESTINATIONS, milesBetween, ORIGINS } from './airports.ts';

const MILES_AN_HOUR = 600;
const HOUR = 60 * 60 * 1000;

export function airports(): Airport[] {
  return DESTINATIONS.map(({ code, city }) => ({ _id: code, airportName: city }));
}

export function segments(): Segment[] {
  return ORIGINS.flatMap((from) =>
    DESTINATIONS.filter((to) => to !== from).map((to) => ({
      originPort: from.code,
      destPort: to.code,
      miles: milesBetween(from, to),
    })),
  ).map((segment, i) => ({ _id: `AA${i}`, ...segment }));
}

/** One flight a day on each segment, at local midnight. */
export function flights(segmentList: readonly Segment[], today: Date, days: number): Flight[] {
  return segmentList.flatMap(({ _id, miles }) =>
    Array.from({ length: days }, (_, day) => {
      const departure = midnightOf(today, day);
      return {
        _id: randomUUID(),
        flightSegmentId: _id,
        scheduledDepartureTime: departure.toISOString(),
        scheduledArrivalTime: new Date(departure.getTime() + (miles / MILES_AN_HOUR) * HOUR).toISOString(),
        firstClassBaseCost: 500,
        economyClassBaseCost: 200,
        numFirstClassSeats: 10,
        numEconomyClassSeats: 200,
        airplaneTypeId: 'B747',
      };
    }),
  );
}

export function customers(count: number): Customer[] {
  return Array.from({ length: count }, (_, i) => ({
    _id: `uid${i}@email.com`,
    password: 'password',
    status: 'GOLD',
    total_miles: 1_000_000,
    miles_ytd: 1000,
    address: {
      streetAddress1: '123 Main St.',
      city: 'Anytown',
      stateProvince: 'NC',
      country: 'USA',
      postalCode: '27617',
    },
    phoneNumber: '919-123-4567',
    phoneNumberType: 'BUSINESS',
  }));
}

/** Local midnight of the moment's day plus a number of days. */
export function midnightOf(moment: Date, daysLater = 0): Date {
  return new Date(moment.getFullYear(), moment.getMonth(), moment.getDate() + daysLater);
}
