// Recorded processes of this user on this machine: their state and commands.
export {
  SERVICE_COMMANDS,
  type RequestedSnapshot,
  type ServiceState,
  type ServiceCommand,
} from './control/control-protocol.ts';
export { serviceDirectories } from './control/service-directories.ts';
export { callService, listServices, type Service } from './control/service-client.ts';
