// For readers of recordings: loads and runs no program code.
export { DeviceEventText } from './membrane/device-event-text.ts';
