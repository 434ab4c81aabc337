/** So many of its stretches a thread of an engine goes back over in place at most: it keeps no more of them. */
export const MOST_UNDONE = 512;
