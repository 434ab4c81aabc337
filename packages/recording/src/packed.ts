// Entry point of the code that copies and packs recordings, which recorded threads do not load.
export { describePacked } from './packed/packed-description.ts';
export { copyRecording } from './packed/recording-copy.ts';
export { packRecording, type PackedRecording, type PackEncryption, type PackProgress } from './packed/pack.ts';
export { resealRecording, type ResealedRecording } from './packed/resealed-copy.ts';
export { countRedacted, redactRecording } from './packed/redacted-copy.ts';
export { isPackedFile, unpackRecording, type UnpackedRecording, type UnpackOptions } from './packed/unpack.ts';
