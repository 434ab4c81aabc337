// Entry point of the client of recorded processes: lists this user's processes on this machine and sends them commands.
export {
  SERVICE_COMMANDS,
  type RequestedSnapshot,
  type ServiceState,
  type ServiceCommand,
} from './control/control-protocol.ts';
export { serviceDirectories } from './control/service-directories.ts';
export { callService, listServices, type Service } from './control/service-client.ts';
