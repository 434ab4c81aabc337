import { ask, onSubmit, say } from './page.js';

const [form] = document.forms;
form.elements.numCustomers.value = await ask('loader/query');

onSubmit(form, async (data) => {
  say('Loading …');
  say(await ask(`loader/load?numCustomers=${data.get('numCustomers')}`));
});
