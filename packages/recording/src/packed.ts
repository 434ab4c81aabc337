// The door for whoever carries recordings about: no thread of a program needs what is behind it.
export { describePacked } from './packed/described.ts';
export { copyRecording } from './packed/copy.ts';
export { packRecording, type Packed, type Told } from './packed/pack.ts';
export { REDACTED, Redaction } from './packed/redaction.ts';
export { redactRecording } from './packed/redacted.ts';
export { isPacked, unpackRecording, type Unpacked } from './packed/unpack.ts';
