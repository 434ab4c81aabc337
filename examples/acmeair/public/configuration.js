import { ask, row } from './page.js';

const COUNTS = {
  Customers: 'countCustomers',
  Sessions: 'countSessions',
  Bookings: 'countBookings',
  Flights: 'countFlights',
  Segments: 'countFlightSegments',
  Airports: 'countAirports',
};

const [service, runtime, ...counts] = await Promise.all(
  ['activeDataService', 'runtime', ...Object.values(COUNTS)].map((name) => ask(`config/${name}`)),
);
document.querySelector('#service').textContent = service;
document.querySelector('#counts').append(...Object.keys(COUNTS).map((name, i) => row(name, String(counts[i]))));
document.querySelector('#runtime').append(...runtime.map(({ name, description }) => row(name, description)));
