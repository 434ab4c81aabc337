import { AIRPORTS } from './airports.js';
import { ask, onSubmit, row, say, user } from './page.js';

const [form] = document.forms;
const legs = document.querySelector('#legs');
const book = document.querySelector('#book');
const found = document.querySelector('#found');
/** Chosen flight of each leg. */
let chosen = [];

for (const name of ['fromAirport', 'toAirport'])
  for (const [code, city] of AIRPORTS) form.elements[name].append(new Option(`${city} (${code})`, code));
form.elements.fromAirport.value = 'FRA';
form.elements.toAirport.value = 'JFK';
for (const [name, days] of [
  ['fromDate', 0],
  ['returnDate', 1],
])
  form.elements[name].value = dayIn(days);
form.elements.oneWay.addEventListener('change', () => {
  form.elements.returnDate.disabled = form.elements.oneWay.checked;
});

onSubmit(form, async (data) => {
  const { tripFlights } = await ask('flights/queryflights', {
    form: {
      fromAirport: data.get('fromAirport'),
      toAirport: data.get('toAirport'),
      fromDate: `${data.get('fromDate')}T00:00:00`,
      returnDate: `${data.get('returnDate') ?? data.get('fromDate')}T00:00:00`,
      oneWay: String(form.elements.oneWay.checked),
    },
  });
  chosen = tripFlights.map(() => undefined);
  legs.replaceChildren(...tripFlights.map(({ flightsOptions }, i) => table(flightsOptions, i)));
  found.hidden = false;
  showChoice();
  say(
    tripFlights.some(({ flightsOptions }) => flightsOptions.length === 0) ? 'There are no such flights every way.' : '',
  );
});

book.addEventListener('click', async () => {
  const [to, back] = chosen;
  const { departBookingId, returnBookingId } = await ask('bookings/bookflights', {
    form: { userid: user(), toFlightId: to, retFlightId: back ?? '', oneWayFlight: String(back === undefined) },
  });
  say(`Booked: ${[departBookingId, returnBookingId].filter(Boolean).join(', ')}`);
});

function table(flights, leg) {
  const section = document.createElement('section');
  const title = document.createElement('h2');
  title.textContent = leg === 0 ? 'There' : 'And back';
  const body = document.createElement('table');
  for (const flight of flights) {
    const choice = Object.assign(document.createElement('input'), { type: 'radio', name: `leg${leg}` });
    choice.ariaLabel = `Choose ${flight.flightSegmentId}`;
    choice.addEventListener('change', () => {
      chosen[leg] = flight._id;
      showChoice();
    });
    const times = [flight.scheduledDepartureTime, flight.scheduledArrivalTime].map((time) =>
      new Date(time).toLocaleString(),
    );
    body.append(
      row(choice, flight.flightSegmentId, ...times, `$${flight.firstClassBaseCost}`, `$${flight.economyClassBaseCost}`),
    );
  }
  section.append(title, body);
  return section;
}

function showChoice() {
  book.disabled = chosen.length === 0 || chosen.includes(undefined);
}

function dayIn(days) {
  const date = new Date(Date.now() + days * 24 * 60 * 60 * 1000);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
}
