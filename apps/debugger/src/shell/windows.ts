// The windows of the desktop shell. Each has a recording and its debug server, or shows the start page.
import { join, resolve } from 'node:path';
import { app, BrowserWindow, nativeTheme, type IpcMainEvent, type IpcMainInvokeEvent } from 'electron';
import { CHANNELS } from './channels.ts';
import { DebugServer, type DebugServerOptions } from './debug-server.ts';
import type { DebugServerCommand } from './debug-server-command.ts';
import { PAGE_URL } from './pages.ts';

/** Environment variables that choose Node and Turntable for debug servers. */
export type RuntimeEnvironment = Readonly<Partial<Record<'TURNTABLE_NODE' | 'TURNTABLE_CLI', string>>>;

export interface RecordingWindow {
  readonly window: BrowserWindow;
  path: string | undefined;
  environment: RuntimeEnvironment;
  server: DebugServer | undefined;
  options: DebugServerOptions;
}

const DEFAULT_OPTIONS: DebugServerOptions = { isForced: false, keyFile: undefined, pid: undefined };

/** The open windows by the id of their web contents. */
const windowsById = new Map<number, RecordingWindow>();

export function hasWindows(): boolean {
  return windowsById.size > 0;
}

/**
 * Shows a recording: in the window that has it already, otherwise in `reusedWindow` or in a new window.
 * @param path the path of the recording; undefined for the start page
 * @param reusedWindow a window on the start page
 * @param pid the running program that writes the recording
 */
export function showRecording(
  path: string | undefined,
  environment: RuntimeEnvironment,
  reusedWindow?: RecordingWindow,
  pid?: number,
): void {
  const existing = [...windowsById.values()].find((each) => each.path === path && each.options.pid === pid);
  if (existing !== undefined) {
    if (existing.window.isMinimized()) existing.window.restore();
    existing.window.focus();
    return;
  }
  const recordingWindow = reusedWindow ?? createWindow();
  loadRecording(recordingWindow, path, environment, pid);
}

function loadRecording(
  recordingWindow: RecordingWindow,
  path: string | undefined,
  environment: RuntimeEnvironment,
  pid?: number,
): void {
  const { window } = recordingWindow;
  recordingWindow.server?.close();
  Object.assign(recordingWindow, { path, environment, server: undefined, options: { ...DEFAULT_OPTIONS, pid } });
  window.setTitle(path === undefined ? 'Turntable' : `${path} – Turntable`);
  if (path !== undefined && pid === undefined) app.addRecentDocument(resolve(path));
  void window.loadURL(PAGE_URL);
}

export function showStartPage(recordingWindow: RecordingWindow): void {
  loadRecording(recordingWindow, undefined, recordingWindow.environment);
}

function createWindow(): RecordingWindow {
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
  const recordingWindow: RecordingWindow = {
    window,
    path: undefined,
    environment: {},
    server: undefined,
    options: DEFAULT_OPTIONS,
  };
  windowsById.set(id, recordingWindow);
  webContents.setWindowOpenHandler(() => ({ action: 'deny' }));
  webContents.on('will-navigate', (event) => event.preventDefault());
  webContents.on('will-redirect', (event) => event.preventDefault());
  webContents.on('will-attach-webview', (event) => event.preventDefault());
  window.once('ready-to-show', () => window.show());
  window.on('page-title-updated', (event) => event.preventDefault());
  window.on('closed', () => {
    recordingWindow.server?.close();
    windowsById.delete(id);
  });
  return recordingWindow;
}

/** Returns the window that sent a message; undefined if anything but the window's main page sent it. */
export function senderWindow({ sender, senderFrame }: IpcMainEvent | IpcMainInvokeEvent): RecordingWindow | undefined {
  const recordingWindow = windowsById.get(sender.id);
  const isPage = senderFrame === sender.mainFrame && senderFrame?.url === PAGE_URL;
  return isPage ? recordingWindow : undefined;
}

export function focusedWindow(): RecordingWindow | undefined {
  const focused = BrowserWindow.getFocusedWindow();
  return focused === null ? undefined : windowsById.get(focused.webContents.id);
}

/** Starts the debug server for the recording of a window and ends the previous one. */
export function startServer(recordingWindow: RecordingWindow, path: string, command: DebugServerCommand): void {
  const { window, options } = recordingWindow;
  recordingWindow.server?.close();
  const send = (channel: string, text: string): void => {
    if (!window.isDestroyed()) window.webContents.send(channel, text);
  };
  const server: DebugServer = new DebugServer(path, command, options, {
    onText: (text) => recordingWindow.server === server && send(CHANNELS.text, text),
    onClose: (reason) => recordingWindow.server === server && send(CHANNELS.closed, reason),
  });
  recordingWindow.server = server;
}
