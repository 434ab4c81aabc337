// The door for whoever carries recordings about: no thread of a program needs what is behind it.
export { describePacked } from './packed/packed-description.ts';
export { copyRecording } from './packed/recording-copy.ts';
export { packRecording, type PackedRecording, type PackProgress } from './packed/pack.ts';
export { REDACTED, Redaction } from './packed/redaction.ts';
export { redactRecording } from './packed/redacted-copy.ts';
export { isPackedFile, unpackRecording, type UnpackedRecording } from './packed/unpack.ts';
