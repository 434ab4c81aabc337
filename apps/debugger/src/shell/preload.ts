// Between a page and the shell: a few messages of texts. The page gets functions and no part of Electron. What somebody drops on the window is told to the shell from here, and not by the page, which
// therefore cannot name a file that nobody has dropped.
import { contextBridge, ipcRenderer, webUtils } from 'electron';
import type { Beginning, Bridge } from '../bridge.ts';
import type { Granted, OfferedService } from '@turntable/time-machine/services';
import { CHANNELS } from './channels.ts';

const asked = (channel: string, ...its: readonly unknown[]): Promise<string | undefined> =>
  ipcRenderer.invoke(channel, ...its) as Promise<string | undefined>;

const bridge: Bridge = {
  begin: () => ipcRenderer.invoke(CHANNELS.begin) as Promise<Beginning>,
  start: async (way) => {
    const why = await asked(CHANNELS.start, way);
    if (why !== undefined) throw new Error(why);
  },
  send: (text) => ipcRenderer.send(CHANNELS.send, text),
  onText: (listener) => {
    ipcRenderer.removeAllListeners(CHANNELS.text);
    ipcRenderer.on(CHANNELS.text, (_, text: string) => listener(text));
  },
  onClose: (listener) => {
    ipcRenderer.removeAllListeners(CHANNELS.closed);
    ipcRenderer.on(CHANNELS.closed, (_, why: string) => listener(why));
  },
  open: (place) => asked(CHANNELS.open, place),
  choose: (what) => asked(CHANNELS.choose, what),
  forget: async (place) => void (await asked(CHANNELS.forget, place)),
  startAgain: async () => void (await asked(CHANNELS.startAgain)),
  services: () => ipcRenderer.invoke(CHANNELS.services) as Promise<readonly OfferedService[]>,
  askService: (pid, wish) => ipcRenderer.invoke(CHANNELS.askService, pid, wish) as Promise<Granted>,
  lookAt: (pid) => asked(CHANNELS.lookAt, pid),
};

/** Where it is; before Electron 29 it said so itself. */
function placeOf(file: File): string {
  const its = webUtils as typeof webUtils | undefined;
  return its === undefined ? ((file as File & { readonly path?: string }).path ?? '') : its.getPathForFile(file);
}

const DROPPING = 'is-dropping';
const show = (isDropping: boolean): void => void document.querySelector('#app')?.classList.toggle(DROPPING, isDropping);

window.addEventListener('dragover', (event) => {
  const isFiles = event.dataTransfer?.types.includes('Files') === true;
  if (isFiles) event.preventDefault();
  show(isFiles);
});
window.addEventListener('dragleave', (event) => {
  if (event.relatedTarget === null) show(false);
});
window.addEventListener('drop', (event) => {
  show(false);
  const [file] = event.dataTransfer?.files ?? [];
  if (file === undefined) return;
  event.preventDefault();
  const place = placeOf(file);
  if (event.isTrusted && place !== '') ipcRenderer.send(CHANNELS.dropped, place);
});

contextBridge.exposeInMainWorld('turntable', bridge);
