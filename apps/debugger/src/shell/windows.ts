// The windows of the desktop: each of a recording, with an engine of its own, or of none yet, where somebody chooses one.
import { join, resolve } from 'node:path';
import { app, BrowserWindow, nativeTheme, type IpcMainEvent, type IpcMainInvokeEvent } from 'electron';
import { CHANNELS } from './channels.ts';
import { Engine, engineCommand, type EngineWish } from './engine.ts';
import { PAGE } from './pages.ts';

/** What names the Node and the runtime, where somebody has said which. */
export type Environment = Readonly<Partial<Record<'TURNTABLE_NODE' | 'TURNTABLE_CLI', string>>>;

export interface Opened {
  readonly window: BrowserWindow;
  place: string | undefined;
  environment: Environment;
  engine: Engine | undefined;
  wish: EngineWish;
}

const NO_WISH: EngineWish = { isForced: false, key: undefined, pid: undefined };

/** By the number of its contents. */
const windows = new Map<number, Opened>();

export function areThereWindows(): boolean {
  return windows.size > 0;
}

/**
 * @param place of a recording; of none, if somebody is to choose one
 * @param into a window that is of none
 * @param pid of the program that writes the recording and goes on
 */
export function show(place: string | undefined, environment: Environment, into?: Opened, pid?: number): void {
  const there = [...windows.values()].find((each) => each.place === place && each.wish.pid === pid);
  if (there !== undefined) {
    if (there.window.isMinimized()) there.window.restore();
    there.window.focus();
    return;
  }
  const opened = into ?? made();
  turnTo(opened, place, environment, pid);
}

function turnTo(opened: Opened, place: string | undefined, environment: Environment, pid?: number): void {
  const { window } = opened;
  opened.engine?.end();
  Object.assign(opened, { place, environment, engine: undefined, wish: { ...NO_WISH, pid } });
  window.setTitle(place === undefined ? 'Turntable' : `${place} – Turntable`);
  if (place !== undefined && pid === undefined) app.addRecentDocument(resolve(place));
  void window.loadURL(PAGE);
}

export function showStart(opened: Opened): void {
  turnTo(opened, undefined, opened.environment);
}

function made(): Opened {
  const window = new BrowserWindow({
    width: 1440,
    height: 900,
    minWidth: 480,
    minHeight: 360,
    show: false,
    title: 'Turntable',
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
  const opened: Opened = { window, place: undefined, environment: {}, engine: undefined, wish: NO_WISH };
  windows.set(id, opened);
  webContents.setWindowOpenHandler(() => ({ action: 'deny' }));
  webContents.on('will-navigate', (event) => event.preventDefault());
  webContents.on('will-redirect', (event) => event.preventDefault());
  webContents.on('will-attach-webview', (event) => event.preventDefault());
  window.once('ready-to-show', () => window.show());
  window.on('page-title-updated', (event) => event.preventDefault());
  window.on('closed', () => {
    opened.engine?.end();
    windows.delete(id);
  });
  return opened;
}

/** Whose message it is: of the page of a window of ours, and not of something within it. */
export function senderOf({ sender, senderFrame }: IpcMainEvent | IpcMainInvokeEvent): Opened | undefined {
  const opened = windows.get(sender.id);
  const isPage = senderFrame === sender.mainFrame && senderFrame?.url === PAGE;
  return isPage ? opened : undefined;
}

export function focusedWindow(): Opened | undefined {
  const focused = BrowserWindow.getFocusedWindow();
  return focused === null ? undefined : windows.get(focused.webContents.id);
}

/** Starts the engine of a window, or another one. Answers why there is none. */
export function startEngine(opened: Opened): string | undefined {
  const { place, window, environment, wish } = opened;
  if (place === undefined) return 'this window is of no recording';
  const command = engineCommand(place, { ...process.env, ...environment });
  if (command === undefined)
    return `there is no Turntable above ${place}: install the package turntable where the recording was made`;
  opened.engine?.end();
  const tell = (channel: string, text: string): void => {
    if (!window.isDestroyed()) window.webContents.send(channel, text);
  };
  const engine: Engine = new Engine(place, command, wish, {
    text: (text) => opened.engine === engine && tell(CHANNELS.text, text),
    closed: (why) => opened.engine === engine && tell(CHANNELS.closed, why),
  });
  opened.engine = engine;
  return undefined;
}
