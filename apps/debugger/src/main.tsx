// The entry point of the interface. In a browser it connects to the server that served the page: a debug server, or the
// server of the start page. In a desktop window it connects to the debug server that the shell starts.
import { Client } from '@turntable/time-machine/client';
import { render, type JSX } from 'preact';
import { bridgeWire, type Bridge } from './bridge.ts';
import { createBridgeOpener, createPortOpener } from './model/opener.ts';
import { DebuggerSession } from './model/debugger-session.ts';
import { DebuggerApp } from './views/app.tsx';
import { StartView } from './views/start.tsx';
import { initTheme } from './views/theme.ts';
import './design/all.css';

const SECRET_KEY = 'secret';
/** The path under which the start page is served. */
const START_PATH = '/start';

/** Returns the secret in the URL's fragment, and moves it to the session storage: others may see the address bar. */
function takeSecret(): string {
  const fragment = location.hash.slice(1);
  if (fragment !== '') {
    sessionStorage.setItem(SECRET_KEY, fragment);
    history.replaceState(null, '', location.pathname);
  }
  return sessionStorage.getItem(SECRET_KEY) ?? '';
}

function renderView(view: JSX.Element): void {
  const root = document.querySelector('#app');
  if (root !== null) render(view, root);
}

async function startOnDesktop(bridge: Bridge): Promise<void> {
  const { path } = await bridge.windowState();
  const opener = createBridgeOpener(bridge);
  if (path === undefined) {
    renderView(<StartView opener={opener} />);
    return;
  }
  const session = new DebuggerSession(async (override) => new Client(await bridgeWire(bridge, override)), 'reconnect');
  renderView(<DebuggerApp session={session} opener={opener} />);
  await session.open();
}

async function startInBrowser(): Promise<void> {
  const secret = takeSecret();
  if (location.pathname === START_PATH) {
    renderView(<StartView opener={createPortOpener(secret, (address) => location.assign(address))} />);
    return;
  }
  const session = new DebuggerSession(() => Client.connect(`ws://${location.host}/${secret}`));
  renderView(<DebuggerApp session={session} />);
  await session.open();
}

initTheme();
void (window.turntable === undefined ? startInBrowser() : startOnDesktop(window.turntable));
