/** The ways in which something gets the value that it has. */
export const WAYS = ['written', 'passed', 'sent', 'settled', 'resumed'] as const;
export type Way = (typeof WAYS)[number];
