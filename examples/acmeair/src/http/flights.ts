import type { FastifyPluginAsync } from 'fastify';
import type { FoundFlight } from '../actors/flights.ts';
import type { Airline } from '../airline.ts';
import { midnightOf } from '../timetable/timetable.ts';

interface Query {
  readonly fromAirport: string;
  readonly toAirport: string;
  readonly fromDate: string;
  readonly returnDate: string;
  readonly oneWay: string;
}

interface Leg {
  readonly numPages: 1;
  readonly flightsOptions: readonly FoundFlight[];
  readonly currentPage: 0;
  readonly hasMoreOptions: false;
  readonly pageSize: 10;
}

const text = { type: 'string' };
const QUERY = {
  body: {
    type: 'object',
    required: ['fromAirport', 'toAirport', 'fromDate'],
    properties: { fromAirport: text, toAirport: text, fromDate: text, returnDate: text, oneWay: text },
  },
};

class InvalidDateError extends Error {
  readonly statusCode = 400;
}

export function flightRoutes({ flights }: Airline): FastifyPluginAsync {
  const leg = async (date: string, from: string, to: string): Promise<Leg> => ({
    numPages: 1,
    flightsOptions: await flights.on(dayOf(date), from, to),
    currentPage: 0,
    hasMoreOptions: false,
    pageSize: 10,
  });
  return async (api) => {
    api.post<{ Body: Query }>('/flights/queryflights', { schema: QUERY }, async (request) => {
      const { fromAirport, toAirport, fromDate, returnDate, oneWay } = request.body;
      const tripFlights = [await leg(fromDate, fromAirport, toAirport)];
      if (oneWay !== 'true') tripFlights.push(await leg(returnDate, toAirport, fromAirport));
      return { tripFlights, tripLegs: tripFlights.length };
    });
  };
}

function dayOf(date: string): string {
  const moment = new Date(date);
  if (Number.isNaN(moment.getTime())) throw new InvalidDateError(`${date} is not a date`);
  return midnightOf(moment).toISOString();
}
