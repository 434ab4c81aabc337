// A hook for a text field whose text is saved elsewhere. What the user types stays until it is saved, even if the saved
// text changes meanwhile.
import { useState } from 'preact/hooks';

export interface Draft {
  /** The text to show. */
  readonly text: string;
  readonly isEdited: boolean;
  edit(text: string): void;
  /** Saves a text, and shows the saved text again unless the user has typed another one meanwhile. */
  save(text: string): Promise<void>;
}

export function useDraft(savedText: string, save: (text: string) => Promise<void> | void): Draft {
  const [draft, setDraft] = useState<string>();
  return {
    text: draft ?? savedText,
    isEdited: draft !== undefined,
    edit: setDraft,
    save: async (text) => {
      await save(text);
      setDraft((current) => (current === text ? undefined : current));
    },
  };
}
