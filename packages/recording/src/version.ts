/** Version of this package, the same for all of Turntable. */
export const VERSION = '0.2.0';
