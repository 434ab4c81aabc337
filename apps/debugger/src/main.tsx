// The interface: in a browser a client of the time machine at the port that has served this page, or of the start page's port; in a window of the desktop one of the engine that the shell starts for it.
import { Client } from '@turntable/time-machine/client';
import { render, type JSX } from 'preact';
import { bridgeWire, type Bridge } from './bridge.ts';
import { bridgeOpener, portOpener } from './model/opener.ts';
import { Session } from './model/session.ts';
import { App } from './views/app.tsx';
import { StartView } from './views/start.tsx';
import { beginTheme } from './views/theme.ts';
import './design/all.css';

const KEY = 'secret';
/** The page of a port that has no recording yet. */
const START = '/start';

/** What stands behind the # of the address; kept for when the page is loaded again, and taken out of the address, which others may see. */
function secret(): string {
  const given = location.hash.slice(1);
  if (given !== '') {
    sessionStorage.setItem(KEY, given);
    history.replaceState(null, '', location.pathname);
  }
  return sessionStorage.getItem(KEY) ?? '';
}

function shown(view: JSX.Element): void {
  const place = document.querySelector('#app');
  if (place !== null) render(view, place);
}

async function onDesktop(bridge: Bridge): Promise<void> {
  const { place } = await bridge.begin();
  const opener = bridgeOpener(bridge);
  if (place === undefined) {
    shown(<StartView opener={opener} />);
    return;
  }
  const session = new Session(async (way) => new Client(await bridgeWire(bridge, way)), 'anew');
  shown(<App session={session} opener={opener} />);
  await session.open();
}

async function inBrowser(): Promise<void> {
  const its = secret();
  if (location.pathname === START) {
    shown(<StartView opener={portOpener(its, (address) => location.assign(address))} />);
    return;
  }
  const session = new Session(() => Client.at(`ws://${location.host}/${its}`));
  shown(<App session={session} />);
  await session.open();
}

beginTheme();
void (window.turntable === undefined ? inBrowser() : onDesktop(window.turntable));
