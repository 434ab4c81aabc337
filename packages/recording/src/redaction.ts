// Entry point of the code that finds and redacts secrets, which recorded threads do not load.
export { EventRedaction, learnRecording, redactManifest } from './redaction/recording-redaction.ts';
export { BUILT_IN_RULES } from './redaction/redaction-rules.ts';
export { REDACTED, Redaction } from './redaction/redaction.ts';
