// The interface in a browser: a client of the time machine at the port that has served this page.
import { Client } from '@turntable/replay/client';
import { render } from 'preact';
import { Session } from './model/session.ts';
import { App } from './views/app.tsx';
import { beginTheme } from './views/theme.ts';
import './design/all.css';

const KEY = 'secret';

/** What stands behind the # of the address; kept for when the page is loaded again, and taken out of the address, which others may see. */
function secret(): string {
  const given = location.hash.slice(1);
  if (given !== '') {
    sessionStorage.setItem(KEY, given);
    history.replaceState(null, '', location.pathname);
  }
  return sessionStorage.getItem(KEY) ?? '';
}

beginTheme();
const its = secret();
const session = new Session(() => Client.at(`ws://${location.host}/${its}`));
const place = document.querySelector('#app');
if (place !== null) render(<App session={session} />, place);
void session.open();
