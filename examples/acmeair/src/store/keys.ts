import type { Collection, Records } from '../model.ts';

/** Fields, in addition to `_id`, by which records are queried. */
export const KEYS: { readonly [C in Collection]: readonly (keyof Records[C] & string)[] } = {
  customer: [],
  customerSession: [],
  airportCodeMapping: [],
  flightSegment: ['originPort', 'destPort'],
  flight: ['flightSegmentId', 'scheduledDepartureTime'],
  booking: ['customerId'],
};

export const COLLECTIONS = Object.keys(KEYS) as Collection[];
