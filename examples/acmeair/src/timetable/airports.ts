// Airports of the airline: 29 origins and 14 destinations, connected along great circles.

export interface AirportLocation {
  readonly code: string;
  readonly city: string;
  /** Coordinates in degrees. */
  readonly latitude: number;
  readonly longitude: number;
}

const AIRPORTS: readonly AirportLocation[] = [
  { code: 'AKL', city: 'Auckland', latitude: -37.01, longitude: 174.79 },
  { code: 'AMS', city: 'Amsterdam', latitude: 52.31, longitude: 4.76 },
  { code: 'ARN', city: 'Stockholm', latitude: 59.65, longitude: 17.92 },
  { code: 'BKK', city: 'Bangkok', latitude: 13.69, longitude: 100.75 },
  { code: 'BOM', city: 'Mumbai', latitude: 19.09, longitude: 72.87 },
  { code: 'BRU', city: 'Brussels', latitude: 50.9, longitude: 4.48 },
  { code: 'CAI', city: 'Cairo', latitude: 30.12, longitude: 31.41 },
  { code: 'CDG', city: 'Paris', latitude: 49.01, longitude: 2.55 },
  { code: 'DEL', city: 'Delhi', latitude: 28.57, longitude: 77.1 },
  { code: 'DXB', city: 'Dubai', latitude: 25.25, longitude: 55.36 },
  { code: 'FCO', city: 'Rome', latitude: 41.8, longitude: 12.25 },
  { code: 'FRA', city: 'Frankfurt', latitude: 50.03, longitude: 8.56 },
  { code: 'GIG', city: 'Rio de Janeiro', latitude: -22.81, longitude: -43.25 },
  { code: 'GVA', city: 'Geneva', latitude: 46.24, longitude: 6.11 },
  { code: 'HKG', city: 'Hong Kong', latitude: 22.31, longitude: 113.91 },
  { code: 'IKA', city: 'Tehran', latitude: 35.42, longitude: 51.15 },
  { code: 'IST', city: 'Istanbul', latitude: 41.28, longitude: 28.75 },
  { code: 'JFK', city: 'New York', latitude: 40.64, longitude: -73.78 },
  { code: 'KHI', city: 'Karachi', latitude: 24.91, longitude: 67.16 },
  { code: 'KWI', city: 'Kuwait', latitude: 29.23, longitude: 47.97 },
  { code: 'LHR', city: 'London', latitude: 51.47, longitude: -0.46 },
  { code: 'LOS', city: 'Lagos', latitude: 6.58, longitude: 3.32 },
  { code: 'MEX', city: 'Mexico City', latitude: 19.44, longitude: -99.07 },
  { code: 'MNL', city: 'Manila', latitude: 14.51, longitude: 121.02 },
  { code: 'NBO', city: 'Nairobi', latitude: -1.32, longitude: 36.93 },
  { code: 'NRT', city: 'Tokyo', latitude: 35.76, longitude: 140.39 },
  { code: 'PRG', city: 'Prague', latitude: 50.1, longitude: 14.26 },
  { code: 'SIN', city: 'Singapore', latitude: 1.36, longitude: 103.99 },
  { code: 'SVO', city: 'Moscow', latitude: 55.97, longitude: 37.41 },
  { code: 'SYD', city: 'Sydney', latitude: -33.95, longitude: 151.18 },
  { code: 'YUL', city: 'Montreal', latitude: 45.47, longitude: -73.74 },
];
const byCode = new Map(AIRPORTS.map((airport) => [airport.code, airport]));

export const DESTINATIONS = airportsOf('BOM DEL FRA HKG LHR YUL SVO JFK CDG FCO SIN SYD IKA NRT');
/** Origins do not include Mumbai and Delhi. */
export const ORIGINS = airportsOf(
  'AMS AKL BKK BRU CAI DXB FRA GVA HKG IST KHI KWI LOS LHR MNL MEX YUL SVO NBO JFK CDG PRG GIG FCO SIN ARN SYD IKA NRT',
);

const RADIUS_IN_MILES = 3958.8;

export function milesBetween(from: AirportLocation, to: AirportLocation): number {
  const [fromLatitude, toLatitude] = [radians(from.latitude), radians(to.latitude)];
  const longitudeDifference = radians(to.longitude - from.longitude);
  const cosine =
    Math.sin(fromLatitude) * Math.sin(toLatitude) +
    Math.cos(fromLatitude) * Math.cos(toLatitude) * Math.cos(longitudeDifference);
  return Math.round(RADIUS_IN_MILES * Math.acos(Math.min(1, cosine)));
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

function airportsOf(codes: string): readonly AirportLocation[] {
  return codes.split(' ').map((code) => byCode.get(code) as AirportLocation);
}
