import type { FastifyPluginAsync } from 'fastify';
import type { Airline } from '../airline.ts';
import type { Settings } from '../settings.ts';
import { requireOwn } from './session-guard.ts';

interface Order {
  readonly userid: string;
  readonly toFlightId: string;
  readonly retFlightId?: string;
  readonly oneWayFlight?: string;
}

interface Cancellation {
  readonly userid: string;
  readonly number: string;
}

const text = { type: 'string' };
const ORDER = {
  body: {
    type: 'object',
    required: ['userid', 'toFlightId'],
    properties: { userid: text, toFlightId: text, retFlightId: text, oneWayFlight: text },
  },
};
const CANCELLATION = {
  body: { type: 'object', required: ['userid', 'number'], properties: { userid: text, number: text } },
};

export function bookingRoutes({ bookingsOf }: Airline, { flushBookings }: Settings): FastifyPluginAsync {
  // Option of @turntable/fastify: the reply waits for a snapshot.
  const config = { flushBeforeReply: flushBookings };
  return async (api) => {
    api.post<{ Body: Order }>('/bookings/bookflights', { schema: ORDER, config }, async (request, reply) => {
      const { userid, toFlightId, retFlightId, oneWayFlight } = request.body;
      const bookings = bookingsOf(requireOwn(request, userid));
      reply.header('cache-control', 'no-cache');
      const departBookingId = await bookings.book(userid, toFlightId);
      if (oneWayFlight === 'true' || retFlightId === undefined || retFlightId === '')
        return { oneWay: true, departBookingId };
      return { oneWay: false, returnBookingId: await bookings.book(userid, retFlightId), departBookingId };
    });

    api.post<{ Body: Cancellation }>('/bookings/cancelbooking', { schema: CANCELLATION, config }, async (request) => {
      const { userid, number } = request.body;
      const isCancelled = await bookingsOf(requireOwn(request, userid)).cancel(userid, number);
      return { status: isCancelled ? 'success' : 'error' };
    });

    api.get<{ Params: { readonly user: string } }>('/bookings/byuser/:user', async (request) => {
      const user = requireOwn(request, request.params.user);
      return bookingsOf(user).list(user);
    });
  };
}
