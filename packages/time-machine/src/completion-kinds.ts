/** What a name that continues an expression is. */
export const COMPLETION_KINDS = ['variable', 'property', 'method', 'global'] as const;
