/** Side effects that an expression may have. */
export const EFFECTS = ['any', 'none'] as const;
export type Effects = (typeof EFFECTS)[number];
