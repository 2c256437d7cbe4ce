import { MOST_REASONS, type Reason } from '../../workflows/domain/codecs';

/** The deepest nesting of a body. */
const DEEPEST_BODY = 64;

interface Level {
  /** The names that an object has so far; absent for an array. */
  readonly names?: Set<string>;
  /** The name or index of the member that is being read. */
  at: string | number;
}

/**
 * What JSON.parse does not tell of a text that it accepts: properties named twice, by their dotted path, and nesting that
 * is too deep.
 */
export const textFaults = (text: string): ReadonlyArray<Reason> => {
  const twice = new Set<string>();
  const levels: Level[] = [];
  let expectsName = false;
  for (let index = 0; index < text.length; index += 1) {
    const level = levels[levels.length - 1];
    switch (text.charAt(index)) {
      case '{':
        levels.push({ names: new Set(), at: '' });
        expectsName = true;
        break;
      case '[':
        levels.push({ at: 0 });
        break;
      case '}':
      case ']':
        levels.pop();
        expectsName = false;
        break;
      case ',':
        expectsName = level?.names !== undefined;
        if (level !== undefined && typeof level.at === 'number') level.at += 1;
        break;
      case '"': {
        const end = endOfText(text, index);
        if (expectsName && level?.names !== undefined) {
          level.at = String(JSON.parse(text.slice(index, end + 1)));
          if (level.names.has(level.at) && twice.size < MOST_REASONS) twice.add(pathOf(levels));
          level.names.add(level.at);
          expectsName = false;
        }
        index = end;
        break;
      }
      default:
    }
    if (levels.length > DEEPEST_BODY) return [{ name: '', reason: `must nest at most ${DEEPEST_BODY} levels` }];
  }
  return [...twice].map((name) => ({ name, reason: 'is named twice' }));
};

/** The index of the quotation mark that ends the text that begins at `start`. */
const endOfText = (json: string, start: number): number => {
  let index = start + 1;
  while (json[index] !== '"') index += json[index] === '\\' ? 2 : 1;
  return index;
};

const pathOf = (levels: ReadonlyArray<Level>): string => levels.map(({ at }) => at).join('.');
