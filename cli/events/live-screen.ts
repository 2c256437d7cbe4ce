import type { Screen } from '../surroundings';

const ESC = '\u001b[';

/** A screen of its own, which leaves what stood in the terminal as it was. */
export interface LiveScreen {
  readonly show: (lines: ReadonlyArray<string>) => void;
  readonly leave: () => void;
}

export const enterScreen = (screen: Screen): LiveScreen => {
  screen.write(`${ESC}?1049h${ESC}?25l`);
  return {
    show: (lines) => {
      screen.write(`${ESC}H${lines.map((line) => `${line}${ESC}K`).join('\n')}${ESC}J`);
    },
    leave: () => {
      screen.write(`${ESC}?25h${ESC}?1049l`);
    },
  };
};
