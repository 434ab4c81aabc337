/** What an expression may do: change anything, or nothing. */
export const EFFECTS = ['any', 'none'] as const;
export type Effects = (typeof EFFECTS)[number];
