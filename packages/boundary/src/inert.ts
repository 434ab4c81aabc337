// For readers of recordings: no code of a program runs here.
export { DeviceWords } from './membrane/device-words.ts';
