// Recorded processes of this user on this computer: what they say of themselves, and what they can be asked for.
export {
  SERVICE_COMMANDS,
  type RequestedSnapshot,
  type ServiceState,
  type ServiceCommand,
} from './control/control-protocol.ts';
export { serviceDirectories } from './control/service-directories.ts';
export { callService, listServices, type Service } from './control/service-client.ts';
