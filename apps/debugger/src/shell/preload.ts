// Between a page and the shell: three messages, of texts. The page gets functions and no part of Electron.
import { contextBridge, ipcRenderer } from 'electron';
import type { Bridge } from '../bridge.ts';
import { CHANNELS } from './channels.ts';

const bridge: Bridge = {
  start: async () => {
    const why = (await ipcRenderer.invoke(CHANNELS.start)) as string | undefined;
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
};

contextBridge.exposeInMainWorld('turntable', bridge);
