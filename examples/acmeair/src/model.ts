// Data model of the airline. Field names are those of the benchmark's clients.

/** An instant as text, such as `2026-11-22T00:00:00.000Z`: the form in which it is stored, passed and returned. */
export type Instant = string;

export interface Customer {
  readonly _id: string;
  readonly password: string;
  readonly status: string;
  readonly total_miles: number;
  readonly miles_ytd: number;
  readonly address: {
    readonly streetAddress1: string;
    readonly streetAddress2?: string;
    readonly city: string;
    readonly stateProvince: string;
    readonly country: string;
    readonly postalCode: string;
  };
  readonly phoneNumber: string;
  readonly phoneNumberType: string;
}

export interface Session {
  readonly _id: string;
  readonly customerid: string;
  readonly lastAccessedTime: Instant;
  readonly timeoutTime: Instant;
}

export interface Airport {
  readonly _id: string;
  readonly airportName: string;
}

export interface Segment {
  readonly _id: string;
  readonly originPort: string;
  readonly destPort: string;
  readonly miles: number;
}

export interface Flight {
  readonly _id: string;
  readonly flightSegmentId: string;
  readonly scheduledDepartureTime: Instant;
  readonly scheduledArrivalTime: Instant;
  readonly firstClassBaseCost: number;
  readonly economyClassBaseCost: number;
  readonly numFirstClassSeats: number;
  readonly numEconomyClassSeats: number;
  readonly airplaneTypeId: string;
}

export interface Booking {
  readonly _id: string;
  readonly customerId: string;
  readonly flightId: string;
  readonly dateOfBooking: Instant;
}

/** Record types by the names of their collections. */
export interface Records {
  readonly customer: Customer;
  readonly customerSession: Session;
  readonly airportCodeMapping: Airport;
  readonly flightSegment: Segment;
  readonly flight: Flight;
  readonly booking: Booking;
}

export type Collection = keyof Records;
