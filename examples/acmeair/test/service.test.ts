import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { start, type App } from 'turntable';
import { openAirline, type Airline } from '../src/airline.ts';
import { createService } from '../src/http/service.ts';
import { settingsFrom } from '../src/settings.ts';

const CUSTOMERS = 20;
const USER = 'uid7@email.com';
const today = new Date().toDateString();
const dayIn = (days: number): string => new Date(Date.now() + days * 24 * 60 * 60 * 1000).toDateString();

let app: App;
let airline: Airline;
let service: FastifyInstance;
beforeAll(async () => {
  const settings = settingsFrom({ ACMEAIR_WORKERS: '0', ACMEAIR_CUSTOMERS: String(CUSTOMERS) });
  app = start({ workers: 0 });
  airline = openAirline(settings);
  service = createService(airline, settings);
  expect((await service.inject('/rest/api/loader/load')).body).toBe('Database Finished Loading');
});
afterAll(async () => {
  await service.close();
  await airline.database.close();
  await app.close();
});

const form = (path: string, fields: Record<string, string>, cookie = ''): InjectOptions => ({
  method: 'POST',
  url: `/rest/api/${path}`,
  headers: { 'content-type': 'application/x-www-form-urlencoded', cookie },
  payload: new URLSearchParams(fields).toString(),
});

/** Returns the cookie of a new session. */
async function logIn(login = USER): Promise<string> {
  const { body, cookies } = await service.inject(form('login', { login, password: 'password' }));
  expect(body).toBe('logged in');
  return `sessionid=${cookies.find(({ name }) => name === 'sessionid')?.value}`;
}

describe('a session', () => {
  it('is opened with the right password and no other', async () => {
    const wrong = await service.inject(form('login', { login: USER, password: 'guess' }));
    expect([wrong.statusCode, wrong.cookies[0]?.value]).toEqual([403, '']);
    expect((await service.inject(form('login', { login: 'unknown', password: 'password' }))).statusCode).toBe(403);
    expect(await logIn()).toMatch(/^sessionid=[\da-f-]{36}$/);
  });

  it.each(['', 'sessionid=', 'sessionid=unknown'])('is required by guarded routes, which reject %j', async (cookie) => {
    const { statusCode, json } = await service.inject({
      url: `/rest/api/bookings/byuser/${USER}`,
      headers: { cookie },
    });
    expect(statusCode).toBe(403);
    expect(json()).toMatchObject({ message: 'not logged in; POST /rest/api/login first' });
  });

  it('is over after logging out', async () => {
    const cookie = await logIn();
    const bookings = { url: `/rest/api/bookings/byuser/${USER}`, headers: { cookie } };
    expect((await service.inject(bookings)).statusCode).toBe(200);
    expect((await service.inject({ url: '/rest/api/login/logout', headers: { cookie } })).body).toBe('logged out');
    expect((await service.inject(bookings)).statusCode).toBe(403);
  });

  it('gives no access to other accounts', async () => {
    const cookie = await logIn();
    const response = await service.inject({ url: '/rest/api/customer/byid/uid8@email.com', headers: { cookie } });
    expect(response.statusCode).toBe(403);
  });
});

describe('flights', () => {
  const query = async (fields: Record<string, string>): Promise<{ readonly statusCode: number; json(): unknown }> =>
    service.inject(form('flights/queryflights', fields, await logIn()));

  it('are found in both directions, each with its segment', async () => {
    const found = await query({
      fromAirport: 'FRA',
      toAirport: 'JFK',
      fromDate: today,
      returnDate: dayIn(1),
      oneWay: 'false',
    });
    const leg = (flightSegment: object): object => ({
      numPages: 1,
      flightsOptions: [{ firstClassBaseCost: 500, economyClassBaseCost: 200, airplaneTypeId: 'B747', flightSegment }],
      currentPage: 0,
      hasMoreOptions: false,
      pageSize: 10,
    });
    expect(found.json()).toMatchObject({
      tripLegs: 2,
      tripFlights: [leg({ originPort: 'FRA', destPort: 'JFK' }), leg({ originPort: 'JFK', destPort: 'FRA' })],
    });
  });

  it('are found one way', async () => {
    const found = await query({ fromAirport: 'LHR', toAirport: 'SIN', fromDate: today, oneWay: 'true' });
    expect(found.json()).toMatchObject({ tripLegs: 1, tripFlights: [{ flightsOptions: [{}] }] });
  });

  it.each([
    ['the route does not exist', { fromAirport: 'BOM', toAirport: 'DEL', fromDate: today }],
    ['the date is too far ahead', { fromAirport: 'FRA', toAirport: 'JFK', fromDate: dayIn(9) }],
  ])('are not found when %s', async (_why, fields) => {
    const found = await query({ ...fields, oneWay: 'true' });
    expect(found.json()).toMatchObject({ tripFlights: [{ flightsOptions: [] }] });
  });

  it('are not searched for on an invalid date', async () => {
    const found = await query({ fromAirport: 'FRA', toAirport: 'JFK', fromDate: 'tomorrow', oneWay: 'true' });
    expect([found.statusCode, found.json()]).toMatchObject([400, { message: 'tomorrow is not a date' }]);
  });
});

describe('bookings', () => {
  it('are made for each leg, listed, and cancelled once', async () => {
    const cookie = await logIn('uid3@email.com');
    const userid = 'uid3@email.com';
    const booked = await service.inject(
      form('bookings/bookflights', { userid, toFlightId: 'there', retFlightId: 'back', oneWayFlight: 'false' }, cookie),
    );
    const { oneWay, departBookingId, returnBookingId } = booked.json<Record<string, string>>();
    expect(oneWay).toBe(false);
    expect(booked.headers['cache-control']).toBe('no-cache');
    const list = async (): Promise<unknown> =>
      (await service.inject({ url: `/rest/api/bookings/byuser/${userid}`, headers: { cookie } })).json();
    expect(await list()).toMatchObject([
      { _id: departBookingId, customerId: userid, flightId: 'there' },
      { _id: returnBookingId, customerId: userid, flightId: 'back' },
    ]);
    const cancel = async (number = ''): Promise<unknown> =>
      (await service.inject(form('bookings/cancelbooking', { userid, number }, cookie))).json();
    expect(await cancel(departBookingId)).toEqual({ status: 'success' });
    expect(await cancel(departBookingId)).toEqual({ status: 'error' });
    expect(await list()).toMatchObject([{ _id: returnBookingId }]);
  });

  it('all earn miles when made concurrently', async () => {
    const userid = 'uid4@email.com';
    const cookie = await logIn(userid);
    const order = form('bookings/bookflights', { userid, toFlightId: 'there', oneWayFlight: 'true' }, cookie);
    await Promise.all(Array.from({ length: 10 }, () => service.inject(order)));
    const { json } = await service.inject({ url: `/rest/api/customer/byid/${userid}`, headers: { cookie } });
    expect(json()).toMatchObject({ total_miles: 1_005_000, miles_ytd: 6000 });
  });
});

describe('an account', () => {
  it('can be changed by its customer, except for miles', async () => {
    const cookie = await logIn();
    const url = `/rest/api/customer/byid/${USER}`;
    const { json } = await service.inject({ url, headers: { cookie } });
    const account = json<Record<string, unknown>>();
    expect(account).not.toHaveProperty('password');
    const changed = { ...account, phoneNumber: '1', total_miles: 9e9, password: 'password' };
    const answer = await service.inject({ method: 'POST', url, headers: { cookie }, payload: changed });
    expect(answer.json()).toEqual({ ...account, phoneNumber: '1' });
  });
});

describe('the configuration', () => {
  it.each([
    ['countCustomers', String(CUSTOMERS)],
    ['countFlights', '1970'],
    ['countFlightSegments', '394'],
    ['countAirports', '14'],
    ['activeDataService', 'sqlite'],
  ])('%s is %s', async (name, value) => {
    expect((await service.inject(`/rest/api/config/${name}`)).body).toBe(value);
  });

  it('lists versions of the runtime', async () => {
    expect((await service.inject('/rest/api/config/runtime')).json()).toContainEqual({
      name: 'node',
      description: process.versions.node,
    });
  });

  it('is not loaded twice', async () => {
    expect((await service.inject('/rest/api/loader/load')).body).toBe('Already loaded');
  });
});
