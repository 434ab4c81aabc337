import type { FastifyPluginAsync } from 'fastify';
import type { Airline } from '../airline.ts';
import type { Customer } from '../model.ts';
import { requireOwn } from './session-guard.ts';

const text = { type: 'string' };
const CUSTOMER = {
  body: {
    type: 'object',
    required: ['_id', 'password', 'address', 'phoneNumber', 'phoneNumberType'],
    properties: {
      _id: text,
      password: text,
      phoneNumber: text,
      phoneNumberType: text,
      address: {
        type: 'object',
        required: ['streetAddress1', 'city', 'stateProvince', 'country', 'postalCode'],
        properties: {
          streetAddress1: text,
          streetAddress2: text,
          city: text,
          stateProvince: text,
          country: text,
          postalCode: text,
        },
      },
    },
  },
};
type Path = { readonly user: string };

export function customerRoutes({ customers }: Airline): FastifyPluginAsync {
  return async (api) => {
    api.get<{ Params: Path }>('/customer/byid/:user', async (request, reply) => {
      const customer = await customers.find(requireOwn(request, request.params.user));
      return customer === undefined ? reply.code(404).send() : withoutPassword(customer);
    });

    api.post<{ Params: Path; Body: Customer }>('/customer/byid/:user', { schema: CUSTOMER }, async (request, reply) => {
      const { body } = request;
      requireOwn(request, request.params.user);
      requireOwn(request, body._id);
      const customer = await customers.changeProfile(body);
      return customer === undefined ? reply.code(404).send() : withoutPassword(customer);
    });
  };
}

function withoutPassword({ password: _password, ...customer }: Customer): Omit<Customer, 'password'> {
  return customer;
}
