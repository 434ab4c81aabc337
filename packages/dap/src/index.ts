export { DapError, type DapErrorCode } from './dap-error.ts';
export type { DebugEmbedder, OpenRecording, ProgramOptions, RecordingOptions } from './debug-embedder.ts';
export { serveStreams } from './streams.ts';
export { DapPort } from './dap-port.ts';
