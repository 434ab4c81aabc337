import { ask, row, say, user } from './page.js';

const body = document.querySelector('tbody');
const cancel = document.querySelector('#cancel');
const chosen = new Set();

cancel.addEventListener('click', async () => {
  const answers = [];
  for (const number of chosen) answers.push(await ask('bookings/cancelbooking', { form: { number, userid: user() } }));
  const failed = answers.filter(({ status }) => status !== 'success').length;
  await show();
  say(failed === 0 ? `${answers.length} cancelled.` : `${failed} could not be cancelled.`, failed > 0);
});

async function show() {
  const bookings = await ask(`bookings/byuser/${encodeURIComponent(user())}`);
  chosen.clear();
  cancel.disabled = true;
  body.replaceChildren(
    ...bookings.map(({ _id, flightId, dateOfBooking }) => {
      const choice = Object.assign(document.createElement('input'), { type: 'checkbox' });
      choice.ariaLabel = `Choose ${_id}`;
      choice.addEventListener('change', () => {
        if (choice.checked) chosen.add(_id);
        else chosen.delete(_id);
        cancel.disabled = chosen.size === 0;
      });
      return row(choice, _id, flightId, new Date(dateOfBooking).toLocaleString());
    }),
  );
  if (bookings.length === 0) say('There are none yet.');
}

await show();
