/** Version of this package and of all of Turntable. */
export const VERSION = '0.2.0';
