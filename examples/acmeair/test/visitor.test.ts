import { expect, it } from 'vitest';
import { LoadPlan } from '../load/plan.ts';
import { Visitor, type VisitorResponse, type VisitRequestKind } from '../load/visitor.ts';

/** Counts the kinds of requests in a number of visits with these responses. */
function requestCounts(
  visits: number,
  answer: (kind: VisitRequestKind) => Partial<VisitorResponse>,
): Map<VisitRequestKind, number> {
  const visitor = new Visitor(new LoadPlan(100));
  const counts = new Map<VisitRequestKind, number>();
  for (let done = 0; done < visits;) {
    const { kind } = visitor.next();
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    visitor.receive({ status: 200, body: '', cookies: [], ...answer(kind) });
    if (kind === 'logout') done++;
  }
  return counts;
}

const flights = (outbound: number, inbound: number): string =>
  JSON.stringify({
    tripFlights: [outbound, inbound].map((count) => ({
      flightsOptions: Array.from({ length: count }, (_, i) => ({ _id: `f${i}`, flightSegmentId: 'AA1' })),
    })),
  });
const profile = JSON.stringify({ address: { streetAddress1: '123 Main St.', postalCode: '99999' } });
const bookings = (count: number): string => JSON.stringify(Array.from({ length: count }, (_, i) => ({ _id: `b${i}` })));

function responseBodies(found: string, booked: number): (kind: VisitRequestKind) => Partial<VisitorResponse> {
  const by: Partial<Record<VisitRequestKind, string>> = {
    'view profile': profile,
    query: found,
    'list bookings': bookings(booked),
  };
  return (kind) => ({ body: by[kind] ?? '' });
}

it('makes the planned requests in a hundred visits', () => {
  expect(Object.fromEntries(requestCounts(100, responseBodies(flights(1, 1), 5)))).toEqual({
    login: 100,
    'view profile': 25,
    'update profile': 25,
    query: 500,
    book: 100,
    'list bookings': 100,
    cancel: 75,
    logout: 100,
  });
});

it('books nothing when no flight is found, and keeps two bookings', () => {
  const counts = requestCounts(8, responseBodies(flights(0, 0), 2));
  expect([counts.get('book'), counts.get('cancel')]).toEqual([undefined, undefined]);
});

it('continues when a request fails', () => {
  const counts = requestCounts(4, () => ({ status: 500, body: 'no' }));
  expect(counts.get('logout')).toBe(4);
});

it('continues when a request is not answered', () => {
  const visitor = new Visitor(new LoadPlan(1));
  const kinds = Array.from({ length: 8 }, () => visitor.next().kind);
  expect(kinds).toEqual(['login', 'query', 'query', 'query', 'query', 'query', 'list bookings', 'logout']);
});

it('sends cookies, and changes the address', () => {
  const visitor = new Visitor(new LoadPlan(1));
  const answer = (body = '', cookies: string[] = []): void => visitor.receive({ status: 200, body, cookies });
  visitor.next();
  answer('logged in', ['sessionid=s1; Path=/']);
  // The quota of account views first allows one in the fourth visit.
  for (let kind = visitor.next().kind; kind !== 'view profile'; { kind } = visitor.next())
    answer(responseBodies(flights(1, 0), 0)(kind).body);
  answer(profile);
  const update = visitor.next();
  expect(update.headers['cookie']).toBe('sessionid=s1');
  expect(JSON.parse(update.body ?? '')).toMatchObject({
    address: { streetAddress1: '124 Main St.', postalCode: '10000' },
    password: 'password',
  });
});

it('queries all pairs of airports in turn', () => {
  const plan = new LoadPlan(1);
  const pairs = new Set(Array.from({ length: 210 }, () => Object.values(plan.route()).join()));
  expect(pairs.size).toBe(210);
});
