export { DevtoolsError, type DevtoolsErrorCode } from './devtools-error.ts';
export { DevtoolsPort, type DevtoolsAddress } from './devtools-port.ts';
