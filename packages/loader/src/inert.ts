// The door for whoever looks at states without running anything: no thread of a program needs what is behind it.
export { readInertState, type InertModule, type InertState } from './state/inert-state.ts';
export { InertTexts } from './state/inert-texts.ts';
export { describeState, type StateDescription } from './state/describe-state.ts';
export { DeviceWords } from './membrane/device-words.ts';
