// The shell of the desktop: windows, each with an engine of its own, and what connects them. It shows one page that is part of the application; pages get no Node, go nowhere, open nothing and are asked nothing but the three
// messages of the bridge. It reads no recording itself: that is the engine's.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  nativeTheme,
  protocol,
  session,
  type IpcMainEvent,
  type IpcMainInvokeEvent,
} from 'electron';
import { CHANNELS, LONGEST } from './channels.ts';
import { Engine, engineCommand } from './engine.ts';
import { PAGE, pageAt, SCHEME } from './pages.ts';

const LINK = 'turntable:';

interface Opened {
  readonly window: BrowserWindow;
  readonly place: string;
  engine: Engine | undefined;
}

/** By the number of its contents. */
const windows = new Map<number, Opened>();

protocol.registerSchemesAsPrivileged([{ scheme: SCHEME, privileges: { standard: true, secure: true } }]);
// Of every process; where the system has none, as for root, whoever starts it has to say so.
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();

function open(place: string): void {
  const window = new BrowserWindow({
    width: 1440,
    height: 900,
    minWidth: 480,
    minHeight: 360,
    show: false,
    title: `${place} – Turntable`,
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#1b1917' : '#fdfcfa',
    webPreferences: {
      preload: join(__dirname, 'preload.cjs'),
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webSecurity: true,
      spellcheck: false,
    },
  });
  const { webContents } = window;
  const { id } = webContents;
  windows.set(id, { window, place, engine: undefined });
  webContents.setWindowOpenHandler(() => ({ action: 'deny' }));
  webContents.on('will-navigate', (event) => event.preventDefault());
  webContents.on('will-redirect', (event) => event.preventDefault());
  webContents.on('will-attach-webview', (event) => event.preventDefault());
  window.once('ready-to-show', () => window.show());
  window.on('page-title-updated', (event) => event.preventDefault());
  window.on('closed', () => {
    windows.get(id)?.engine?.end();
    windows.delete(id);
  });
  app.addRecentDocument(resolve(place));
  void window.loadURL(PAGE);
}

/** Whose message it is: of the page of a window of ours, and not of something within it. */
function senderOf({ sender, senderFrame }: IpcMainEvent | IpcMainInvokeEvent): Opened | undefined {
  const opened = windows.get(sender.id);
  const isPage = senderFrame === sender.mainFrame && senderFrame?.url === PAGE;
  return isPage ? opened : undefined;
}

function start(opened: Opened): string | undefined {
  const { place, window } = opened;
  const command = engineCommand(place, process.env);
  if (command === undefined)
    return `there is no Turntable above ${place}: install the package turntable where the recording was made`;
  opened.engine?.end();
  const tell = (channel: string, text: string): void => {
    if (!window.isDestroyed()) window.webContents.send(channel, text);
  };
  const engine: Engine = new Engine(place, command, {
    text: (text) => opened.engine === engine && tell(CHANNELS.text, text),
    closed: (why) => opened.engine === engine && tell(CHANNELS.closed, why),
  });
  opened.engine = engine;
  return undefined;
}

ipcMain.handle(CHANNELS.start, (event) => {
  const opened = senderOf(event);
  return opened === undefined ? 'this page is not to have an engine' : start(opened);
});
ipcMain.on(CHANNELS.send, (event, text: unknown) => {
  if (typeof text === 'string' && text.length <= LONGEST && !text.includes('\n')) senderOf(event)?.engine?.send(text);
});

/** To look into a recording its program is run again: of one that came by a link or a file it is asked first. */
async function ask(place: string): Promise<void> {
  const { response } = await dialog.showMessageBox({
    type: 'warning',
    message: `Run the program of ${place} again?`,
    detail:
      'To look into a recording its program is run again on this computer, with the code that the recording carries. Open recordings only of whom you would run a program of.',
    buttons: ['Cancel', 'Run it again'],
    defaultId: 0,
    cancelId: 0,
  });
  if (response === 1) open(place);
  else if (windows.size === 0) app.quit();
}

async function choose(): Promise<void> {
  const { filePaths } = await dialog.showOpenDialog({
    title: 'Open a recording',
    properties: ['openDirectory', 'openFile'],
    filters: [{ name: 'Recordings', extensions: ['ttr'] }],
  });
  const [place] = filePaths;
  if (place !== undefined) await ask(place);
  else if (windows.size === 0) app.quit();
}

/** The first argument that is no flag and no link, if it is there: whoever has written it has asked for it. */
function placeIn(args: readonly string[], directory: string): string | undefined {
  const given = args.slice(1).filter((arg) => !arg.startsWith('-') && !arg.startsWith(LINK));
  // Before it is packaged, the first is the application.
  const [place] = app.isPackaged ? given : given.slice(1);
  return place !== undefined && existsSync(resolve(directory, place)) ? resolve(directory, place) : undefined;
}

function linkIn(args: readonly string[]): string | undefined {
  const link = args.find((arg) => arg.startsWith(LINK));
  return link === undefined ? undefined : placeOfLink(link);
}

/** `turntable://open?recording=/a/b`; nothing of any other link. */
function placeOfLink(link: string): string | undefined {
  if (!URL.canParse(link)) return undefined;
  const { host, searchParams } = new URL(link);
  return host === 'open' ? (searchParams.get('recording') ?? undefined) : undefined;
}

function began(args: readonly string[], directory: string): void {
  const link = linkIn(args);
  const place = placeIn(args, directory);
  if (link !== undefined) void ask(link);
  else if (place !== undefined) open(place);
  else void choose();
}

function menu(): Menu {
  return Menu.buildFromTemplate([
    ...(process.platform === 'darwin' ? [{ role: 'appMenu' as const }] : []),
    {
      label: 'File',
      submenu: [
        { label: 'Open a recording…', accelerator: 'CmdOrCtrl+O', click: () => void choose() },
        { role: 'recentDocuments', submenu: [{ role: 'clearRecentDocuments' }] },
        { type: 'separator' },
        { role: process.platform === 'darwin' ? 'close' : 'quit' },
      ],
    },
    { role: 'editMenu' },
    {
      label: 'View',
      submenu: [{ role: 'resetZoom' }, { role: 'zoomIn' }, { role: 'zoomOut' }, { role: 'togglefullscreen' }],
    },
    { role: 'windowMenu' },
  ]);
}

if (app.requestSingleInstanceLock()) {
  app.on('second-instance', (_, args, directory) => began(args, directory));
  app.on('open-file', (event, path) => {
    event.preventDefault();
    void app.whenReady().then(() => ask(path));
  });
  app.on('open-url', (event, link) => {
    event.preventDefault();
    const place = placeOfLink(link);
    if (place !== undefined) void app.whenReady().then(() => ask(place));
  });
  app.on('window-all-closed', () => app.quit());
  void app.whenReady().then(() => {
    protocol.handle(SCHEME, ({ url }) => pageAt(join(__dirname, 'interface'), url));
    session.defaultSession.setPermissionRequestHandler((_, __, answer) => answer(false));
    session.defaultSession.setPermissionCheckHandler(() => false);
    Menu.setApplicationMenu(menu());
    began(process.argv, process.cwd());
  });
} else app.quit();
