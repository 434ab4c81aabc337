export const SERVER_NAMES = ['time-machine', 'time-machine-lines', 'devtools', 'dap', 'start-page', 'control'] as const;
export type ServerName = (typeof SERVER_NAMES)[number];
