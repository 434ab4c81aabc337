import { ask, onSubmit, remember } from './page.js';

onSubmit(document.forms[0], async (data) => {
  await ask('login', { form: data });
  remember(data.get('login'));
  location.assign('flights.html');
});
