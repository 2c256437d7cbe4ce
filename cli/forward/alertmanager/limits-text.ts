import type { StreamEvent } from '../../../consumer';
import { RELATIVE_FULLSCALE, RELATIVE_OVERALL } from '../../../workflows/domain/threshold/band';

type Threshold = Extract<StreamEvent, { readonly type: 'SetPointAlarmThresholdEvent' }>['threshold'];

/** The limits of each part of `threshold` that has some, as a line for people: `innerHigh 50, outerHigh 70 C`. */
export const limitsByPart = (threshold: Threshold): Readonly<Record<string, string>> => {
  const { overall, rateOfChange, bandAlarms = [], halAlarms = [] } = threshold;
  return Object.fromEntries(
    [
      ...(overall === undefined ? [] : [['overall', fourLimits(overall)] as const]),
      ...(rateOfChange === undefined ? [] : [['rate of change', fourLimits(rateOfChange)] as const]),
      ...bandAlarms.map(
        ({ overallAlarmThreshold: { upperAlert, upperDanger, unit } = {} }, at) =>
          [
            `band ${at}`,
            lineOf([named('alert', bandLimit(upperAlert)), named('danger', bandLimit(upperDanger))], unit),
          ] as const,
      ),
      ...halAlarms.map(
        ({ upperAlert, upperDanger }, at) =>
          [`HAL ${at}`, lineOf([named('alert', upperAlert), named('danger', upperDanger)])] as const,
      ),
    ].filter(([, limits]) => limits !== ''),
  );
};

type FourLimits = NonNullable<Threshold['overall']>;

const fourLimits = ({ unit, ...limits }: FourLimits): string =>
  lineOf(
    (['outerLow', 'innerLow', 'innerHigh', 'outerHigh'] as const).map((name) => named(name, limits[name])),
    unit,
  );

const lineOf = (limits: ReadonlyArray<string>, unit = ''): string => {
  const given = limits.filter((limit) => limit !== '').join(', ');
  return given === '' || unit === '' ? given : `${given} ${unit}`;
};

const named = (name: string, limit: number | string | undefined): string =>
  limit === undefined ? '' : `${name} ${limit}`;

type BandLimit = NonNullable<
  NonNullable<NonNullable<Threshold['bandAlarms']>[number]['overallAlarmThreshold']>['upperAlert']
>;

const bandLimit = (limit: BandLimit | undefined): number | string | undefined => {
  if (limit === undefined) return undefined;
  if (limit.valueType === RELATIVE_FULLSCALE) return `${limit.value} of full scale`;
  return limit.valueType === RELATIVE_OVERALL ? `${limit.value} of overall` : limit.value;
};
