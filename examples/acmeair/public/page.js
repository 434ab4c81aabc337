// Shared by all pages: navigation, login state, and requests to the service.

const PAGES = [
  ['index.html', 'Log in'],
  ['flights.html', 'Flights'],
  ['checkin.html', 'Bookings'],
  ['customerprofile.html', 'Account'],
  ['config.html', 'Configuration'],
];
const COOKIE = 'loggedinuser';
const DAYS = 5;
const status = document.querySelector('[role=status]');
const currentPage = location.pathname.split('/').at(-1) || 'index.html';

const header = document.createElement('header');
const name = document.createElement('strong');
name.textContent = 'Acme Air';
const nav = document.createElement('nav');
for (const [href, text] of PAGES) {
  const link = document.createElement('a');
  link.href = href;
  link.textContent = text;
  if (href === currentPage) link.setAttribute('aria-current', 'page');
  nav.append(link);
}
header.append(name, nav);
document.body.prepend(header);

/** Name of the logged-in user, from this browser's cookie. */
export function user() {
  const found = document.cookie.split('; ').find((each) => each.startsWith(`${COOKIE}=`));
  return found && decodeURIComponent(found.slice(COOKIE.length + 1));
}

export function remember(login) {
  const age = login === undefined ? 0 : DAYS * 24 * 60 * 60;
  document.cookie = `${COOKIE}=${encodeURIComponent(login ?? '')}; max-age=${age}; path=/; samesite=lax`;
}

export function say(text, failed = false) {
  status.textContent = text;
  status.classList.toggle('failed', failed);
}

/** Sends a request and returns the response. An error is shown on the page and thrown. */
export async function ask(path, { form, json } = {}) {
  const init = {};
  if (form !== undefined) Object.assign(init, { method: 'POST', body: new URLSearchParams(form) });
  if (json !== undefined)
    Object.assign(init, {
      method: 'POST',
      body: JSON.stringify(json),
      headers: { 'content-type': 'application/json' },
    });
  const response = await fetch(`rest/api/${path}`, init);
  if (response.status === 403 && currentPage !== 'index.html') location.assign('index.html');
  if (!response.ok) {
    const text = await response.text();
    say(text === '' ? response.statusText : text, true);
    throw new Error(text);
  }
  return response.headers.get('content-type')?.includes('json') ? response.json() : response.text();
}

/** Handles submissions of a form, one at a time. */
export function onSubmit(form, act) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const button = form.querySelector('button');
    button.disabled = true;
    try {
      await act(new FormData(form));
    } finally {
      button.disabled = false;
    }
  });
}

export function row(...cells) {
  const tr = document.createElement('tr');
  for (const cell of cells) {
    const td = document.createElement('td');
    td.append(cell);
    tr.append(td);
  }
  return tr;
}

if (user() !== undefined) {
  const leave = document.createElement('button');
  leave.id = 'logout';
  leave.textContent = `Log out ${user()}`;
  leave.addEventListener('click', async () => {
    await ask(`login/logout?login=${encodeURIComponent(user())}`);
    remember(undefined);
    location.assign('index.html');
  });
  header.append(leave);
}
