import type { Colors } from 'picocolors/types';
import { ALERT, DANGER, GOOD, type Status } from '../workflows/domain/alarm/status';
import { printable } from './failure';

/** The colour of a status, as on a traffic light. */
export const painted = ({ red, yellow, green, dim, bold }: Colors, status: Status, text: string): string => {
  switch (status) {
    case DANGER:
      return bold(red(text));
    case ALERT:
      return yellow(text);
    case GOOD:
      return green(text);
    default:
      return dim(text);
  }
};

/** A part with what the threshold calls it. */
export const nameOf = ({ part, label }: { readonly part: string; readonly label?: string | undefined }): string =>
  label === undefined || label === '' ? part : `${part} ${printable(label)}`;
