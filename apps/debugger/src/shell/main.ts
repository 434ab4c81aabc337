// The shell of the desktop: windows, what opens recordings in them, and what connects both with engines. It shows one page that is part of the application; pages get no Node, go nowhere, open nothing
// but what was opened before, and are asked nothing but the messages of the bridge. It reads no recording itself: that is the engine's.
import { join, resolve } from 'node:path';
import { app, dialog, ipcMain, Menu, protocol, session, type MenuItemConstructorOptions } from 'electron';
import { CHANNELS, LONGEST } from './channels.ts';
import { agreedTo } from './consent.ts';
import { placeOfLink, wantedBy, type Wanted } from './links.ts';
import { pageAt, SCHEME } from './pages.ts';
import { codeOf, Recent } from './recent.ts';
import { granted, offeredServices, serviceOf, whyNotSeen } from '@turntable/time-machine/services';
import {
  areThereWindows,
  focusedWindow,
  senderOf,
  show,
  showStart,
  startEngine,
  type Environment,
  type Opened,
} from './windows.ts';

protocol.registerSchemesAsPrivileged([{ scheme: SCHEME, privileges: { standard: true, secure: true } }]);
// Of every process; where the system has none, as for root, whoever starts it has to say so.
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();

const own = process.env['TURNTABLE_WINDOW_DATA'];
if (own !== undefined && own !== '') app.setPath('userData', resolve(own));
const recent = new Recent(join(app.getPath('userData'), 'recent.json'));

/** What whoever has started this process has said of the runtime. */
const ENVIRONMENT: Environment = environmentOf(process.env);

function environmentOf(given: unknown): Environment {
  const its = Object(given) as Readonly<Record<string, unknown>>;
  const said = (['TURNTABLE_NODE', 'TURNTABLE_CLI'] as const).filter((name) => typeof its[name] === 'string');
  return Object.fromEntries(said.map((name) => [name, its[name]])) as Environment;
}

interface Opening {
  readonly place: string;
  readonly environment?: Environment;
  readonly into?: Opened | undefined;
}

/** Of what came from somewhere: after a question. @param isKnownEnough that they have agreed before */
async function ask({ place, environment = ENVIRONMENT, into }: Opening, isKnownEnough = true): Promise<void> {
  const agreed = await agreedTo(place, recent, isKnownEnough);
  if (agreed !== undefined) {
    recent.note(place, agreed.code);
    show(place, environment, into?.place === undefined ? into : undefined);
  } else if (!areThereWindows()) show(undefined, environment);
}

/** Whoever has written it has asked for it. */
async function open(place: string, environment: Environment): Promise<void> {
  show(place, environment);
  recent.note(place, await codeOf(place));
}

async function choose(what: 'directory' | 'file', into: Opened | undefined): Promise<void> {
  const { filePaths } = await dialog.showOpenDialog({
    title: 'Open a recording',
    // Only macOS has both in one.
    properties: [what === 'file' ? 'openFile' : 'openDirectory'],
    filters: what === 'file' ? [{ name: 'Packed recordings', extensions: ['ttr'] }] : [],
  });
  const [place] = filePaths;
  if (place !== undefined) await ask({ place, into });
}

async function began({ place, isAskedFor }: Wanted, environment: Environment): Promise<void> {
  if (place === undefined) show(undefined, environment);
  else if (isAskedFor) await open(place, environment);
  else await ask({ place, environment }, false);
}

ipcMain.handle(CHANNELS.begin, (event) => ({ place: senderOf(event)?.place, recent: recent.told() }));
ipcMain.handle(CHANNELS.start, async (event, way: unknown) => {
  const opened = senderOf(event);
  if (opened === undefined) return 'this page is not to have an engine';
  if (way === 'force') opened.wish = { ...opened.wish, isForced: true };
  else if (way === 'key') {
    const { filePaths } = await dialog.showOpenDialog({ title: 'The key of this recording', properties: ['openFile'] });
    const [key] = filePaths;
    if (key === undefined) return 'no key was chosen';
    opened.wish = { ...opened.wish, key };
  } else opened.wish = { ...opened.wish, key: undefined };
  return startEngine(opened);
});
ipcMain.on(CHANNELS.send, (event, text: unknown) => {
  if (typeof text === 'string' && text.length <= LONGEST && !text.includes('\n')) senderOf(event)?.engine?.send(text);
});
ipcMain.handle(CHANNELS.open, async (event, place: unknown) => {
  const opened = senderOf(event);
  // Of what was never opened a page knows nothing.
  if (opened === undefined || typeof place !== 'string' || !recent.has(place))
    return 'only what was opened before is opened from here';
  await ask({ place, into: opened });
  return undefined;
});
ipcMain.handle(CHANNELS.choose, async (event, what: unknown) => {
  const opened = senderOf(event);
  if (opened !== undefined) await choose(what === 'file' ? 'file' : 'directory', opened);
});
ipcMain.handle(CHANNELS.forget, (event, place: unknown) => {
  if (senderOf(event) !== undefined && typeof place === 'string') recent.forget(place);
});
ipcMain.handle(CHANNELS.startAgain, (event) => {
  const opened = senderOf(event);
  if (opened !== undefined) showStart(opened);
});
ipcMain.handle(CHANNELS.services, (event) => (senderOf(event) === undefined ? [] : offeredServices()));
ipcMain.handle(CHANNELS.askService, (event, pid: unknown, wish: unknown) =>
  senderOf(event) === undefined ? { services: [], why: 'this page is not to ask' } : granted(pid, wish),
);
ipcMain.handle(CHANNELS.lookAt, async (event, pid: unknown) => {
  const opened = senderOf(event);
  if (opened === undefined) return 'this page is not to ask';
  const service = await serviceOf(pid);
  const why = whyNotSeen(service);
  // It runs, for this user: nobody has to be asked whether it may.
  if (why === undefined && service !== undefined) {
    const { recording, pid: its } = service.state;
    show(recording, ENVIRONMENT, opened.place === undefined ? opened : undefined, its);
  }
  return why;
});
ipcMain.on(CHANNELS.dropped, (event, place: unknown) => {
  const opened = senderOf(event);
  if (opened !== undefined && typeof place === 'string') void ask({ place, into: opened });
});

function menu(): Menu {
  const files: MenuItemConstructorOptions[] = [
    { label: 'New Window', accelerator: 'CmdOrCtrl+N', click: () => show(undefined, ENVIRONMENT) },
    { label: 'Open a Recording…', accelerator: 'CmdOrCtrl+O', click: () => void choose('directory', focusedWindow()) },
    {
      label: 'Open a Packed One…',
      accelerator: 'CmdOrCtrl+Shift+O',
      click: () => void choose('file', focusedWindow()),
    },
    { role: 'recentDocuments', submenu: [{ role: 'clearRecentDocuments' }] },
    { type: 'separator' },
    { role: process.platform === 'darwin' ? 'close' : 'quit' },
  ];
  return Menu.buildFromTemplate([
    ...(process.platform === 'darwin' ? [{ role: 'appMenu' as const }] : []),
    { label: 'File', submenu: files },
    { role: 'editMenu' },
    {
      label: 'View',
      submenu: [{ role: 'resetZoom' }, { role: 'zoomIn' }, { role: 'zoomOut' }, { role: 'togglefullscreen' }],
    },
    { role: 'windowMenu' },
  ]);
}

/** What the system has asked to be opened before there could be windows. */
const early: string[] = [];
function asked(place: string): void {
  if (app.isReady()) void ask({ place }, false);
  else early.push(place);
}

if (app.requestSingleInstanceLock(ENVIRONMENT)) {
  app.on('second-instance', (_, args, directory, environment) => {
    const wanted = wantedBy(args, directory, app.isPackaged);
    void began(wanted, { ...ENVIRONMENT, ...environmentOf(environment) });
  });
  app.on('open-file', (event, path) => {
    event.preventDefault();
    asked(path);
  });
  app.on('open-url', (event, link) => {
    event.preventDefault();
    const place = placeOfLink(link);
    if (place !== undefined) asked(place);
  });
  app.on('window-all-closed', () => app.quit());
  // Where installers do not say whose links these are.
  if (app.isPackaged) app.setAsDefaultProtocolClient('turntable');
  void app.whenReady().then(async () => {
    protocol.handle(SCHEME, ({ url }) => pageAt(join(__dirname, 'interface'), url));
    session.defaultSession.setPermissionRequestHandler((_, __, answer) => answer(false));
    session.defaultSession.setPermissionCheckHandler(() => false);
    Menu.setApplicationMenu(menu());
    for (const place of early) await ask({ place }, false);
    if (early.length === 0) await began(wantedBy(process.argv, process.cwd(), app.isPackaged), ENVIRONMENT);
  });
} else app.quit();
