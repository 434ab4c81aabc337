// The interface: in a browser a client of the time machine at the port that has served this page, in a window of the desktop one of the engine that the shell starts for it.
import { Client } from '@turntable/replay/client';
import { render } from 'preact';
import { bridgeWire, type Bridge } from './bridge.ts';
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

function connection(bridge: Bridge | undefined): () => Promise<Client> {
  if (bridge !== undefined) return async () => new Client(await bridgeWire(bridge));
  const its = secret();
  return () => Client.at(`ws://${location.host}/${its}`);
}

beginTheme();
const session = new Session(connection(window.turntable));
const place = document.querySelector('#app');
if (place !== null) render(<App session={session} />, place);
void session.open();
