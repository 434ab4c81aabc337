// For tools: engines, which go to any place of a recording, and the surveys that they go by.
export { engineOn, standbyFor } from './replay-process/engine-of.ts';
export { NoSurvey, surveyOf, type Surveyed } from './replay/surveyed.ts';
