// The preload script: gives pages the functions of the bridge and nothing else of Electron. It reports dropped files to
// the shell itself, so that a page cannot name a file that was not dropped.
import { contextBridge, ipcRenderer, webUtils } from 'electron';
import type { WindowState, Bridge } from '../bridge.ts';
import type { ServiceRequestResult, ServiceInfo } from '@turntable/time-machine/services';
import { CHANNELS } from './channels.ts';

const invoke = (channel: string, ...args: readonly unknown[]): Promise<string | undefined> =>
  ipcRenderer.invoke(channel, ...args) as Promise<string | undefined>;

const bridge: Bridge = {
  windowState: () => ipcRenderer.invoke(CHANNELS.windowState) as Promise<WindowState>,
  startServer: async (override) => {
    const reason = await invoke(CHANNELS.startServer, override);
    if (reason !== undefined) throw new Error(reason);
  },
  send: (text) => ipcRenderer.send(CHANNELS.send, text),
  onText: (listener) => {
    ipcRenderer.removeAllListeners(CHANNELS.text);
    ipcRenderer.on(CHANNELS.text, (_, text: string) => listener(text));
  },
  onClose: (listener) => {
    ipcRenderer.removeAllListeners(CHANNELS.closed);
    ipcRenderer.on(CHANNELS.closed, (_, reason: string) => listener(reason));
  },
  open: (path) => invoke(CHANNELS.open, path),
  pick: (kind) => invoke(CHANNELS.pick, kind),
  removeRecent: async (path) => void (await invoke(CHANNELS.removeRecent, path)),
  showStartPage: async () => void (await invoke(CHANNELS.showStartPage)),
  services: () => ipcRenderer.invoke(CHANNELS.services) as Promise<readonly ServiceInfo[]>,
  requestService: (pid, request) =>
    ipcRenderer.invoke(CHANNELS.requestService, pid, request) as Promise<ServiceRequestResult>,
  openService: (pid) => invoke(CHANNELS.openService, pid),
};

/** Returns the path of a dropped file. Before Electron 29 the path was a property of the file. */
function pathOf(file: File): string {
  const utils = webUtils as typeof webUtils | undefined;
  return utils === undefined ? ((file as File & { readonly path?: string }).path ?? '') : utils.getPathForFile(file);
}

const DROPPING_CLASS = 'is-dropping';
const showDropping = (isDropping: boolean): void =>
  void document.querySelector('#app')?.classList.toggle(DROPPING_CLASS, isDropping);

window.addEventListener('dragover', (event) => {
  const isFiles = event.dataTransfer?.types.includes('Files') === true;
  if (isFiles) event.preventDefault();
  showDropping(isFiles);
});
window.addEventListener('dragleave', (event) => {
  if (event.relatedTarget === null) showDropping(false);
});
window.addEventListener('drop', (event) => {
  showDropping(false);
  const [file] = event.dataTransfer?.files ?? [];
  if (file === undefined) return;
  event.preventDefault();
  const path = pathOf(file);
  if (event.isTrusted && path !== '') ipcRenderer.send(CHANNELS.dropped, path);
});

contextBridge.exposeInMainWorld('turntable', bridge);
