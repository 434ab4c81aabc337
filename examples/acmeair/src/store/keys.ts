import type { Collection, Records } from '../model.ts';

/** Fields that records are queried by, in addition to `_id`. */
export const KEYS: { readonly [C in Collection]: readonly (keyof Records[C] & string)[] } = {
  customer: [],
  customerSession: [],
  airportCodeMapping: [],
  flightSegment: ['originPort', 'destPort'],
  flight: ['flightSegmentId', 'scheduledDepartureTime'],
  booking: ['customerId'],
};

export const COLLECTIONS = Object.keys(KEYS) as Collection[];
