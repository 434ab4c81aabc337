/** Version of this and all other packages of Turntable. */
export const VERSION = '0.2.0';
