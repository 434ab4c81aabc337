// For readers of recordings: no code of a program runs here.
export { DeviceEventText } from './membrane/device-event-text.ts';
