export { STRETCH_KINDS, type MarkKind, type NotesEnd, type StretchKind } from './notes.ts';
export { Survey, type Mark, type Stretch, type SurveyedThread } from './survey/survey.ts';
export { SurveyCache, surveyKey } from './survey/survey-cache.ts';
