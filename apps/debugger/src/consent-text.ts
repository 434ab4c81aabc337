// The question before a recording is replayed, for the desktop's dialog and for the start page.
export interface ConsentText {
  readonly question: string;
  readonly detail: string;
  /** Label of the button that agrees. */
  readonly action: string;
}

export function replayConsentText(path: string): ConsentText {
  return {
    question: `Replay the program of ${path}?`,
    detail:
      'To debug a recording, its program is replayed on this computer, with the code in the recording. Open only recordings from people whose programs you would run.',
    action: 'Replay',
  };
}
