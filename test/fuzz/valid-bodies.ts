import { fc } from '@fast-check/vitest';
import type { Route } from '../../api/http/route';
import { operations } from '../support/arbitraries/command';
import { fromSchema } from '../support/arbitraries/from-schema';
import { measurements } from '../support/arbitraries/measurement';
import { thresholds } from '../support/arbitraries/threshold';
import { OTHER_POINT, POINT } from '../support/api/callers';

const lists = fc.array(fc.constantFrom(POINT, OTHER_POINT), { maxLength: 5 });

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Bodies that the route takes, but for rules between nodes and over time. */
export const validBodies = ({ id, body }: Route): fc.Arbitrary<unknown> => {
  switch (id) {
    case 'setThreshold':
      return thresholds.map(asJson);
    case 'patchThreshold':
      return operations.map(asJson);
    case 'updateAlarmStatus':
      return measurements.map(asJson);
    case 'getThresholds':
      return lists.map((nodeIDs) => ({ nodeIDs }));
    default:
      return body === undefined ? fc.constant(undefined) : fromSchema(body.schema).map(asJson);
  }
};
