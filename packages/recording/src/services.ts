// Recorded processes of this user on this computer: what they say of themselves, and what they can be asked for.
export { WISHES, type GrantedSnapshot, type ServiceState, type Wish } from './control/messages.ts';
export { servicePlaces } from './control/places.ts';
export { askService, listServices, type Service } from './control/service.ts';
