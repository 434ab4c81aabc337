// The desktop shell: opens recordings in windows and starts their debug servers. All windows show one bundled page
// without access to Node. The page cannot navigate, can open only recent recordings without a dialog, and can send only
// the messages of the bridge. The shell does not read recordings; the debug server does.
import { join, resolve } from 'node:path';
import { app, dialog, ipcMain, Menu, protocol, session, type MenuItemConstructorOptions } from 'electron';
import { CHANNELS, MAX_TEXT_LENGTH } from './channels.ts';
import { requestCommand, requestConsent } from './consent.ts';
import { ConfirmedCommands, findDebugServerCommand } from './debug-server-command.ts';
import { pathOfLink, parseOpenRequest, type OpenRequest } from './links.ts';
import { servePage, SCHEME } from './pages.ts';
import { DesktopRecents } from './desktop-recents.ts';
import { codeDigestOf } from '@turntable/time-machine/recent';
import { requestService, loadServices, findService, whyNotInspectable } from '@turntable/time-machine/services';
import {
  hasWindows,
  focusedWindow,
  senderWindow,
  showRecording,
  showStartPage,
  startServer,
  type RuntimeEnvironment,
  type RecordingWindow,
} from './windows.ts';

protocol.registerSchemesAsPrivileged([{ scheme: SCHEME, privileges: { standard: true, secure: true } }]);
// All processes must be sandboxed. Where the system has no sandbox, as for root, the user must pass --no-sandbox.
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();

const dataDirectory = process.env['TURNTABLE_WINDOW_DATA'];
if (dataDirectory !== undefined && dataDirectory !== '') app.setPath('userData', resolve(dataDirectory));
const recent = new DesktopRecents(join(app.getPath('userData'), 'recent.json'));
const confirmedCommands = new ConfirmedCommands(join(app.getPath('userData'), 'confirmed.json'));

/** The Node and Turntable chosen by the environment variables of this process. */
const ENVIRONMENT: RuntimeEnvironment = runtimeEnvironment(process.env);

function runtimeEnvironment(variables: unknown): RuntimeEnvironment {
  const values = Object(variables) as Readonly<Record<string, unknown>>;
  const names = (['TURNTABLE_NODE', 'TURNTABLE_CLI'] as const).filter((name) => typeof values[name] === 'string');
  return Object.fromEntries(names.map((name) => [name, values[name]])) as RuntimeEnvironment;
}

interface OpenOptions {
  readonly path: string;
  readonly environment?: RuntimeEnvironment;
  readonly reusedWindow?: RecordingWindow | undefined;
}

/** Asks the user, then opens a path of unknown origin. @param canReuseConsent whether earlier consent is enough */
async function openWithConsent(
  { path, environment = ENVIRONMENT, reusedWindow }: OpenOptions,
  canReuseConsent = true,
): Promise<void> {
  const consent = await requestConsent(path, recent, canReuseConsent);
  if (consent !== undefined) {
    recent.add(path, consent.codeDigest);
    showRecording(path, environment, reusedWindow?.path === undefined ? reusedWindow : undefined);
  } else if (!hasWindows()) showRecording(undefined, environment);
}

/** Opens a path that the user has typed, without asking. */
async function openFromUser(path: string, environment: RuntimeEnvironment): Promise<void> {
  showRecording(path, environment);
  recent.add(path, await codeDigestOf(path));
}

/** Starts the debug server of a window, if the user permits its Turntable. Returns the reason if it cannot start. */
async function startPermittedServer(recordingWindow: RecordingWindow): Promise<string | undefined> {
  const { path, environment } = recordingWindow;
  if (path === undefined) return 'this window has no recording';
  const command = findDebugServerCommand(path, { ...process.env, ...environment });
  if (command === undefined)
    return `there is no Turntable above ${path}: install the package turntable where the recording was made`;
  const refusal = command.isFromProject ? await requestCommand(command.cli, confirmedCommands) : undefined;
  if (refusal === undefined) startServer(recordingWindow, path, command);
  return refusal;
}

async function pickAndOpen(kind: 'directory' | 'file', reusedWindow: RecordingWindow | undefined): Promise<void> {
  const { filePaths } = await dialog.showOpenDialog({
    title: 'Open a recording',
    // Only macOS has a dialog for both files and directories.
    properties: [kind === 'file' ? 'openFile' : 'openDirectory'],
    filters: kind === 'file' ? [{ name: 'Packed recordings', extensions: ['ttr'] }] : [],
  });
  const [path] = filePaths;
  if (path !== undefined) await openWithConsent({ path, reusedWindow });
}

async function handleOpenRequest({ path, isFromUser }: OpenRequest, environment: RuntimeEnvironment): Promise<void> {
  if (path === undefined) showRecording(undefined, environment);
  else if (isFromUser) await openFromUser(path, environment);
  else await openWithConsent({ path, environment }, false);
}

ipcMain.handle(CHANNELS.windowState, (event) => ({ path: senderWindow(event)?.path, recent: recent.entries() }));
ipcMain.handle(CHANNELS.startServer, async (event, override: unknown) => {
  const recordingWindow = senderWindow(event);
  if (recordingWindow === undefined) return 'this page cannot start a debug server';
  if (override === 'force') recordingWindow.options = { ...recordingWindow.options, isForced: true };
  else if (override === 'key') {
    const { filePaths } = await dialog.showOpenDialog({ title: 'Key of the recording', properties: ['openFile'] });
    const [keyFile] = filePaths;
    if (keyFile === undefined) return 'no key was chosen';
    recordingWindow.options = { ...recordingWindow.options, keyFile };
  } else recordingWindow.options = { ...recordingWindow.options, keyFile: undefined };
  return startPermittedServer(recordingWindow);
});
ipcMain.on(CHANNELS.send, (event, text: unknown) => {
  if (typeof text === 'string' && text.length <= MAX_TEXT_LENGTH && !text.includes('\n'))
    senderWindow(event)?.server?.send(text);
});
ipcMain.handle(CHANNELS.open, async (event, path: unknown) => {
  const recordingWindow = senderWindow(event);
  // Without a dialog, pages can open only recent recordings.
  if (recordingWindow === undefined || typeof path !== 'string' || !recent.has(path))
    return 'only recent recordings can be opened from here';
  await openWithConsent({ path, reusedWindow: recordingWindow });
  return undefined;
});
ipcMain.handle(CHANNELS.pick, async (event, kind: unknown) => {
  const recordingWindow = senderWindow(event);
  if (recordingWindow !== undefined) await pickAndOpen(kind === 'file' ? 'file' : 'directory', recordingWindow);
});
ipcMain.handle(CHANNELS.removeRecent, (event, path: unknown) => {
  if (senderWindow(event) !== undefined && typeof path === 'string') recent.remove(path);
});
ipcMain.handle(CHANNELS.showStartPage, (event) => {
  const recordingWindow = senderWindow(event);
  if (recordingWindow !== undefined) showStartPage(recordingWindow);
});
ipcMain.handle(CHANNELS.services, (event) => (senderWindow(event) === undefined ? [] : loadServices()));
ipcMain.handle(CHANNELS.requestService, (event, pid: unknown, request: unknown) =>
  senderWindow(event) === undefined
    ? { services: [], reason: 'this page has no access to running programs' }
    : requestService(pid, request),
);
ipcMain.handle(CHANNELS.openService, async (event, pid: unknown) => {
  const recordingWindow = senderWindow(event);
  if (recordingWindow === undefined) return 'this page has no access to running programs';
  const service = await findService(pid);
  const reason = whyNotInspectable(service);
  // The program is running for this user already, so its code needs no consent.
  if (reason === undefined && service !== undefined) {
    const { recording, pid: servicePid } = service.state;
    showRecording(recording, ENVIRONMENT, recordingWindow.path === undefined ? recordingWindow : undefined, servicePid);
  }
  return reason;
});
ipcMain.on(CHANNELS.dropped, (event, path: unknown) => {
  const recordingWindow = senderWindow(event);
  if (recordingWindow !== undefined && typeof path === 'string')
    void openWithConsent({ path, reusedWindow: recordingWindow });
});

function buildMenu(): Menu {
  const files: MenuItemConstructorOptions[] = [
    { label: 'New Window', accelerator: 'CmdOrCtrl+N', click: () => showRecording(undefined, ENVIRONMENT) },
    {
      label: 'Open a Recording…',
      accelerator: 'CmdOrCtrl+O',
      click: () => void pickAndOpen('directory', focusedWindow()),
    },
    {
      label: 'Open a Packed Recording…',
      accelerator: 'CmdOrCtrl+Shift+O',
      click: () => void pickAndOpen('file', focusedWindow()),
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

/** Paths that the system asked to open before the application was ready to create windows. */
const pendingPaths: string[] = [];
function openFromSystem(path: string): void {
  if (app.isReady()) void openWithConsent({ path }, false);
  else pendingPaths.push(path);
}

if (app.requestSingleInstanceLock(ENVIRONMENT)) {
  app.on('second-instance', (_, args, directory, environment) => {
    const openRequest = parseOpenRequest(args, directory, app.isPackaged);
    void handleOpenRequest(openRequest, { ...ENVIRONMENT, ...runtimeEnvironment(environment) });
  });
  app.on('open-file', (event, path) => {
    event.preventDefault();
    openFromSystem(path);
  });
  app.on('open-url', (event, link) => {
    event.preventDefault();
    const path = pathOfLink(link);
    if (path !== undefined) openFromSystem(path);
  });
  app.on('window-all-closed', () => app.quit());
  // Not every installation registers the application for `turntable:` links.
  if (app.isPackaged) app.setAsDefaultProtocolClient('turntable');
  void app.whenReady().then(async () => {
    protocol.handle(SCHEME, ({ url }) => servePage(join(__dirname, 'interface'), url));
    session.defaultSession.setPermissionRequestHandler((_, __, answer) => answer(false));
    session.defaultSession.setPermissionCheckHandler(() => false);
    Menu.setApplicationMenu(buildMenu());
    for (const path of pendingPaths) await openWithConsent({ path }, false);
    if (pendingPaths.length === 0)
      await handleOpenRequest(parseOpenRequest(process.argv, process.cwd(), app.isPackaged), ENVIRONMENT);
  });
} else app.quit();
