import type { ProblemEntry } from './entry';

const node = '6f9f0a6e-3c0b-4c55-9d0e-2b1c5a7f8d01';

/** What the member `mayHaveChanged` of a problem means. */
export const MAY_HAVE_CHANGED =
  'Whether this call may have changed the node, or may yet; false: it changed nothing, and will not.';

/** Failures of the service, not of the request. */
export const problemsOfService = {
  'internal-server-error': {
    status: 500,
    title: 'The service failed',
    meaning: 'A defect of the service. The fault is logged under the request id.',
    advice: 'Give the operator the `requestId`. A change may have happened: read before you repeat it.',
    example: { detail: 'The fault is logged under the request id.', instance: `/v1/alarm-status/${node}` },
  },
  unavailable: {
    status: 503,
    title: 'The service cannot take the call now',
    meaning:
      'A dependency of the service does not answer, or more calls wait than can be served in time. Or too many events of the node wait to be published, or the bodies of all calls in flight fill their memory.',
    advice:
      'Repeat the call once the seconds of `Retry-After` have passed. Repeat a change under the `Idempotency-Key` that its first try carried, so that it counts once.',
    headers: ['Retry-After'],
    members: {
      mayHaveChanged: MAY_HAVE_CHANGED,
      dependencies: 'The dependencies that do not answer; only `/readyz` lists them.',
    },
    example: {
      detail: 'Temporal does not answer.',
      instance: `/v1/alarm-status/${node}`,
      members: { mayHaveChanged: false },
    },
  },
  timeout: {
    status: 504,
    title: 'The deadline passed',
    meaning: 'The node did not answer in time.',
    advice:
      'Repeat a read as it is. Repeat a change under the `Idempotency-Key` that its first try carried, so that it counts once. If it carried none, read the node first, with `Cache-Control: no-cache`. A read is answered after the changes that Temporal holds for the node. A request may still be on its way to it for some seconds: wait ten.',
    members: { mayHaveChanged: MAY_HAVE_CHANGED },
    example: {
      detail: 'The call may have changed the node, or may yet.',
      instance: `/v1/alarm-status/${node}`,
      members: { mayHaveChanged: true },
    },
  },
} as const satisfies Readonly<Record<string, ProblemEntry>>;
