import { ask, onSubmit, say, user } from './page.js';

const [form] = document.forms;
const ADDRESS = ['streetAddress1', 'streetAddress2', 'city', 'stateProvince', 'country', 'postalCode'];
const path = `customer/byid/${encodeURIComponent(user())}`;

onSubmit(form, async (data) => {
  const { _id, password, phoneNumber, phoneNumberType } = Object.fromEntries(data);
  const address = Object.fromEntries(ADDRESS.map((name) => [name, data.get(name)]));
  show(await ask(path, { json: { _id, password, phoneNumber, phoneNumberType, address } }));
  say('Saved.');
});

function show({ address, status, total_miles, miles_ytd, ...customer }) {
  for (const [name, value] of Object.entries({ ...customer, ...address })) form.elements[name].value = value;
  const texts = { status, total: total_miles, year: miles_ytd };
  for (const [id, text] of Object.entries(texts)) document.querySelector(`#${id}`).textContent = text.toLocaleString();
}

show(await ask(path));
