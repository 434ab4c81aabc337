export { DapError, type DapErrorCode } from './dap-error.ts';
export type { House, OpenRecording, ProgramWish, RecordingWish } from './house.ts';
export { serveStreams } from './streams.ts';
export { DapPort } from './port.ts';
