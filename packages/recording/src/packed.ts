// The door for whoever carries recordings about: no thread of a program needs what is behind it.
export { Redaction } from './packed/redaction.ts';
