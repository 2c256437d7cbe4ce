import type { ProblemEntry } from './entry';

/** Refusals of HTTP itself, at any address. */
export const problemsOfHttp = {
  'route-not-found': {
    status: 404,
    title: 'There is nothing at this address',
    meaning: 'No endpoint has this path.',
    advice: 'Compare the path with `/openapi.json`: case counts, and there is no trailing slash.',
    example: { detail: 'Addresses are case-sensitive and have no trailing slash.', instance: '/v1/alarm-status/' },
  },
  'request-method-not-allowed': {
    status: 405,
    title: 'The method is not allowed here',
    meaning: 'The path is an endpoint, but not by this method.',
    advice: 'Take one of the methods of `Allow`.',
    headers: ['Allow'],
    example: { detail: 'Allowed here: POST.', instance: '/v1/point-alarm-threshold-batch' },
  },
  'request-timeout': {
    status: 408,
    title: 'Request Timeout',
    meaning: 'The request did not arrive whole in time.',
    advice: 'Repeat it on a new connection.',
    example: { detail: 'The request did not arrive in time.', instance: '/' },
  },
  'expectation-failed': {
    status: 417,
    title: 'Expectation Failed',
    meaning: 'The `Expect` header asks for something other than `100-continue`.',
    advice: 'Leave the header out.',
    example: { detail: 'Only 100-continue can be expected.', instance: '/' },
  },
  'request-header-fields-too-large': {
    status: 431,
    title: 'Request Header Fields Too Large',
    meaning: 'The head of the request is too large.',
    advice: 'Send fewer or shorter headers.',
    example: { detail: 'The head of the request is too large.', instance: '/' },
  },
  'http-version-not-supported': {
    status: 505,
    title: 'HTTP Version Not Supported',
    meaning: 'The request is of another version of HTTP than 1.1 or 1.0.',
    advice: 'Speak HTTP/1.1, or let a proxy translate.',
    example: { detail: 'HTTP/1.1 is spoken here.', instance: '/healthz' },
  },
} as const satisfies Readonly<Record<string, ProblemEntry>>;
