/** What an expression may do where it is evaluated: change anything, or nothing. */
export const EFFECTS = ['any', 'none'] as const;
export type Effects = (typeof EFFECTS)[number];
