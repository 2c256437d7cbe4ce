import { MOST_REASONS, type Reason } from '../../workflows/domain/codecs';
import { endOfText } from './end-of-text';

interface Level {
  /** The names that an object has so far; absent for an array. */
  readonly names?: Set<string>;
  /** The name or index of the member that is being read. */
  at: string | number;
}

/** What JSON.parse does not tell of a text that it accepts: properties named twice, by their dotted path. */
export const textFaults = (text: string): ReadonlyArray<Reason> => {
  const twice = new Set<string>();
  const levels: Level[] = [];
  let expectsName = false;
  for (let index = 0; index < text.length; index += 1) {
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
      case ',': {
        const level = levels[levels.length - 1];
        expectsName = level?.names !== undefined;
        if (level !== undefined && typeof level.at === 'number') level.at += 1;
        break;
      }
      case '"': {
        const end = endOfText(text, index);
        const level = levels[levels.length - 1];
        if (expectsName && level?.names !== undefined) {
          level.at = nameIn(text.slice(index + 1, end));
          if (level.names.has(level.at) && twice.size < MOST_REASONS) twice.add(pathOf(levels));
          level.names.add(level.at);
          expectsName = false;
        }
        index = end;
        break;
      }
      default:
    }
  }
  return [...twice].map((name) => ({ name, reason: 'is named twice' }));
};

/** What is written between quotation marks; most names have no escape, and parsing each would be slow. */
const nameIn = (written: string): string => (written.includes('\\') ? String(JSON.parse(`"${written}"`)) : written);

const pathOf = (levels: ReadonlyArray<Level>): string => levels.map(({ at }) => at).join('.');
