// Entry point for readers of recordings. Loads and runs no program code.
export { DeviceEventText } from './membrane/device-event-text.ts';
