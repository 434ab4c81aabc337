export { DevtoolsError, type DevtoolsErrorCode } from './devtools-error.ts';
export { DevtoolsPort, type DevtoolsAddress, type DevtoolsTarget } from './port.ts';
